// Responses and streams, byte for byte but for the date.
#include "ingot/http/wire.h"

#include <regex>

#include <gtest/gtest.h>

namespace ingot::http {
namespace {

std::string without_date(const std::string& bytes) {
  static const std::regex date(R"(date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n)");
  EXPECT_TRUE(std::regex_search(bytes, date));
  return std::regex_replace(bytes, date, "");
}

TEST(Wire, AWholeResponse) {
  HttpResponse response{.status = 503, .body = "{}"};
  response.headers = {{"retry-after", "1"}};
  EXPECT_EQ(without_date(response_bytes(response, {})),
            "HTTP/1.1 503 Service Unavailable\r\nserver: ingot\r\nretry-after: 1\r\ncontent-type: application/json\r\n"
            "content-length: 2\r\n\r\n{}");
}

TEST(Wire, AnEmptyBodyHasNoType) {
  EXPECT_EQ(without_date(response_bytes({}, {})), "HTTP/1.1 200 OK\r\nserver: ingot\r\ncontent-length: 0\r\n\r\n");
}

TEST(Wire, HeadKeepsTheLengthAndDropsTheBody) {
  const std::string bytes = response_bytes({.body = "abc"}, {.version = 11, .keep_alive = true, .head_only = true});
  EXPECT_NE(bytes.find("content-length: 3\r\n"), std::string::npos);
  EXPECT_TRUE(bytes.ends_with("\r\n\r\n"));
}

TEST(Wire, KeepAliveIsTheRuleOfTheVersion) {
  const auto head = [](int version, bool keep_alive) {
    return response_bytes({}, {.version = version, .keep_alive = keep_alive, .head_only = false});
  };
  EXPECT_EQ(head(11, true).find("connection"), std::string::npos);
  EXPECT_NE(head(11, false).find("connection: close\r\n"), std::string::npos);
  EXPECT_NE(head(10, true).find("connection: keep-alive\r\n"), std::string::npos);
  EXPECT_TRUE(head(10, false).starts_with("HTTP/1.0 200 OK\r\n"));
}

TEST(Wire, EventsAreChunkedInOneOneAndPlainInOneZero) {
  std::string events;
  append_event(events, "{}");
  append_event(events, "[DONE]");
  EXPECT_EQ(events, "data: {}\n\ndata: [DONE]\n\n");
  EXPECT_EQ(stream_bytes(events, true, {}), "18\r\ndata: {}\n\ndata: [DONE]\n\n\r\n0\r\n\r\n");
  EXPECT_EQ(stream_bytes("", true, {}), "0\r\n\r\n");
  EXPECT_EQ(stream_bytes("", false, {}), "");
  EXPECT_EQ(stream_bytes(events, true, {.version = 10}), events);
  EXPECT_NE(stream_head({}, {}).find("transfer-encoding: chunked\r\n"), std::string::npos);
  EXPECT_EQ(stream_head({}, {.version = 10}).find("transfer-encoding"), std::string::npos);
}

}  // namespace
}  // namespace ingot::http
