// The inbox wakes once, keeps order, and never holds more than its bound.
#include "ingot/serve/inbox.h"

#include <thread>

#include <gtest/gtest.h>

namespace ingot::serve {
namespace {

TokenEvent event(int32_t token) {
  TokenEvent e;
  e.tokens.push_back({.request = RequestId{1}, .token = token, .logprobs = {}});
  return e;
}

TEST(Inbox, WakesOnlyWhenItWasEmpty) {
  Inbox inbox(1 << 20);
  EXPECT_EQ(inbox.push(event(1)), Inbox::Push::kFirst);
  EXPECT_EQ(inbox.push(event(2)), Inbox::Push::kMore);
  std::vector<TokenEvent> events;
  EXPECT_FALSE(inbox.take(events, 10));
  EXPECT_EQ(events.size(), 2u);
  EXPECT_EQ(inbox.push(event(3)), Inbox::Push::kFirst);
}

TEST(Inbox, TakesInOrderAndInParts) {
  Inbox inbox(1 << 20);
  for (int i = 0; i < 5; ++i) inbox.push(event(i));
  std::vector<int32_t> seen;
  for (bool more = true; more;) {
    std::vector<TokenEvent> events;
    more = inbox.take(events, 2);
    EXPECT_LE(events.size(), 2u);
    for (const TokenEvent& e : events) seen.push_back(e.tokens[0].token);
  }
  EXPECT_EQ(seen, (std::vector<int32_t>{0, 1, 2, 3, 4}));
}

TEST(Inbox, OverflowsOnceThenStaysClosed) {
  Inbox inbox(4096);
  Inbox::Push last = Inbox::Push::kFirst;
  int pushed = 0;
  while (last == Inbox::Push::kFirst || last == Inbox::Push::kMore) {
    last = inbox.push(event(pushed++));
    ASSERT_LT(pushed, 100);
  }
  EXPECT_EQ(last, Inbox::Push::kOverflow);
  EXPECT_TRUE(inbox.overflowed());
  EXPECT_EQ(inbox.push(event(0)), Inbox::Push::kClosed);
  std::vector<TokenEvent> events;
  EXPECT_FALSE(inbox.take(events, 10));
  EXPECT_TRUE(events.empty());
}

TEST(Inbox, ASteadyReaderNeverOverflows) {
  Inbox inbox(4096);
  for (int i = 0; i < 1000; ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_NE(inbox.push(event(k)), Inbox::Push::kOverflow);
    std::vector<TokenEvent> events;
    while (inbox.take(events, 2)) events.clear();
  }
}

TEST(Inbox, KeepsAllEventsBetweenTwoThreads) {
  Inbox inbox(64 << 20);
  constexpr int kCount = 20000;
  std::thread writer([&] {
    for (int i = 0; i < kCount; ++i) inbox.push(event(i));
  });
  int next = 0;
  while (next < kCount) {
    std::vector<TokenEvent> events;
    inbox.take(events, 64);
    for (const TokenEvent& e : events) ASSERT_EQ(e.tokens[0].token, next++);
  }
  writer.join();
}

}  // namespace
}  // namespace ingot::serve
