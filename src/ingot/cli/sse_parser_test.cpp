// The same events, however the bytes are cut.
#include "ingot/cli/sse_parser.h"

#include <vector>

#include <gtest/gtest.h>

namespace ingot::cli {
namespace {

using Events = std::vector<std::string>;

void feed(SseParser& parser, std::string_view bytes, Events& events) {
  parser.feed(bytes, [&](std::string_view data) { events.emplace_back(data); });
}

Events parse(std::string_view bytes) {
  SseParser parser;
  Events events;
  feed(parser, bytes, events);
  return events;
}

TEST(SseParser, EveryCuttingGivesTheSameEvents) {
  const std::string bytes =
      "\xEF\xBB\xBF"
      "data: one\n\n: keep-alive\n\nevent: x\nid: 3\ndata:two\r\ndata:  lines\r\n\r\n\r\nretry: 5\r\rdata\rdata: cr\r\r"
      "data: {\"a\": \"\xE6\x97\xA5\"}\n\ndatabase: no\n\ndata: [DONE]\n\ndata: never ends\n";
  const Events expected = {"one", "two\n lines", "\ncr", "{\"a\": \"\xE6\x97\xA5\"}", "[DONE]"};
  ASSERT_EQ(parse(bytes), expected);
  for (size_t first = 0; first <= bytes.size(); ++first) {
    for (size_t second = first; second <= bytes.size(); ++second) {
      SseParser parser;
      Events events;
      const std::string_view all = bytes;
      feed(parser, all.substr(0, first), events);
      feed(parser, all.substr(first, second - first), events);
      feed(parser, all.substr(second), events);
      ASSERT_EQ(events, expected) << "cut at " << first << " and " << second;
    }
  }
}

TEST(SseParser, ByteByByte) {
  SseParser parser;
  Events events;
  for (const char c : std::string("data: a\r\n\r\ndata: b\n\n")) feed(parser, {&c, 1}, events);
  EXPECT_EQ(events, (Events{"a", "b"}));
}

TEST(SseParser, AnEmptyEventIsNone) { EXPECT_EQ(parse("\n\n\nevent: ping\n\n"), Events{}); }

}  // namespace
}  // namespace ingot::cli
