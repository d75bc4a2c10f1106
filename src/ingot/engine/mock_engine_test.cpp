// The mock keeps the contract of engine.h: order, one last event, finish reasons, aborts, failure, death, stop.
#include "ingot/engine/mock_engine.h"

#include <condition_variable>
#include <map>
#include <mutex>

#include <gtest/gtest.h>

namespace ingot {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Collects events by request and waits for the last one.
class Collector {
 public:
  EventSink sink() {
    return [this](TokenEvent event) {
      std::lock_guard lock(mutex_);
      events_[event.request].push_back(std::move(event));
      changed_.notify_all();
    };
  }
  std::vector<TokenEvent> finished(RequestId id) {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, seconds(5),
                                        [&] { return !events_[id].empty() && events_[id].back().finish.has_value(); });
    EXPECT_TRUE(came) << "no last event";
    return events_[id];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<RequestId, std::vector<TokenEvent>> events_;
};

Request request(uint64_t id, std::vector<int32_t> prompt, int32_t max_tokens) {
  Request r;
  r.id = RequestId{id};
  r.prompt = std::move(prompt);
  r.sampling.max_tokens = max_tokens;
  return r;
}

std::vector<Request> one(Request r) {
  std::vector<Request> requests;
  requests.push_back(std::move(r));
  return requests;
}

std::vector<int32_t> tokens(const std::vector<TokenEvent>& events) {
  std::vector<int32_t> ids;
  for (const TokenEvent& event : events) {
    for (const SampledToken& token : event.tokens) ids.push_back(token.token);
  }
  return ids;
}

TEST(MockEngine, EchoesThePromptAndStopsAtEos) {
  Collector collector;
  MockEngine engine;
  Request r = request(1, {5, 6, 7}, 100);
  r.sampling.eos_token_ids = {2};
  ASSERT_TRUE(engine.submit(one(r), collector.sink()));
  const auto events = collector.finished(RequestId{1});
  EXPECT_EQ(tokens(events), (std::vector<int32_t>{5, 6, 7, 2}));
  EXPECT_EQ(events.back().finish, FinishReason::kStop);
  EXPECT_FALSE(events.back().stop_token_id);
  EXPECT_NE(events.back().times.first_token, TimePoint{});
}

TEST(MockEngine, EndsByLengthAndByStopToken) {
  Collector collector;
  MockEngine engine;
  Request by_stop = request(2, {5, 6, 7}, 100);
  by_stop.sampling.stop_token_ids = {6};
  std::vector<Request> both = {request(1, {5, 6}, 3), by_stop};
  ASSERT_TRUE(engine.submit(both, collector.sink()));
  const auto length = collector.finished(RequestId{1});
  EXPECT_EQ(tokens(length), (std::vector<int32_t>{5, 6, 5}));
  EXPECT_EQ(length.back().finish, FinishReason::kLength);
  const auto stop = collector.finished(RequestId{2});
  EXPECT_EQ(tokens(stop), (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(stop.back().stop_token_id, 6);
}

TEST(MockEngine, GivesLogprobsAsAsked) {
  Collector collector;
  MockEngine engine;
  Request r = request(1, {5}, 1);
  r.sampling.num_logprobs = 2;
  ASSERT_TRUE(engine.submit(one(r), collector.sink()));
  const auto events = collector.finished(RequestId{1});
  ASSERT_EQ(events.size(), 1u);
  ASSERT_TRUE(events[0].tokens[0].logprobs);
  EXPECT_EQ(events[0].tokens[0].logprobs->best.size(), 2u);
}

TEST(MockEngine, ServesAbortsWhileHeld) {
  Collector collector;
  MockEngine engine;
  engine.hold(true);
  ASSERT_TRUE(engine.submit(one(request(1, {5}, 100)), collector.sink()));
  engine.abort(RequestId{1});
  engine.abort(RequestId{99});  // unknown: ignored
  const auto events = collector.finished(RequestId{1});
  EXPECT_EQ(events.back().finish, FinishReason::kAbort);
  EXPECT_EQ(engine.stats().finished[static_cast<size_t>(FinishReason::kAbort)], 1u);
}

TEST(MockEngine, FailedStepEndsItsRequestsButNotTheEngine) {
  Collector collector;
  MockEngine engine;
  engine.hold(true);
  ASSERT_TRUE(engine.submit(one(request(1, {5}, 100)), collector.sink()));
  engine.fail_step("bad step");
  engine.hold(false);
  const auto failed = collector.finished(RequestId{1});
  EXPECT_EQ(failed.back().finish, FinishReason::kError);
  ASSERT_TRUE(failed.back().error);
  EXPECT_EQ(failed.back().error->message, "bad step");
  EXPECT_TRUE(engine.alive());
  ASSERT_TRUE(engine.submit(one(request(2, {5}, 1)), collector.sink()));
  EXPECT_EQ(collector.finished(RequestId{2}).back().finish, FinishReason::kLength);
}

TEST(MockEngine, DeathEndsAllAndRefusesMore) {
  Collector collector;
  MockEngine engine({.step_time = milliseconds(1)});
  ASSERT_TRUE(engine.submit(one(request(1, {5}, 1'000'000)), collector.sink()));
  engine.die("gone");
  EXPECT_EQ(collector.finished(RequestId{1}).back().finish, FinishReason::kError);
  const Status refused = engine.submit(one(request(2, {5}, 1)), collector.sink());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  engine.stop(milliseconds(0));
  EXPECT_FALSE(engine.alive());
  EXPECT_FALSE(engine.ready());
}

TEST(MockEngine, StopDrainsThenAborts) {
  Collector collector;
  MockEngine engine({.step_time = milliseconds(1)});
  std::vector<Request> both = {request(1, {5}, 20), request(2, {5}, 1'000'000)};
  ASSERT_TRUE(engine.submit(both, collector.sink()));
  engine.stop(milliseconds(200));
  EXPECT_EQ(collector.finished(RequestId{1}).back().finish, FinishReason::kLength);
  EXPECT_EQ(collector.finished(RequestId{2}).back().finish, FinishReason::kAbort);
}

TEST(MockEngine, RefusesBeyondItsQueue) {
  Collector collector;
  MockEngine engine({.max_num_seqs = 1, .max_num_queued_reqs = 1});
  engine.hold(true);
  std::vector<Request> three = {request(1, {5}, 1), request(2, {5}, 1), request(3, {5}, 1)};
  const Status refused = engine.submit(three, collector.sink());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  three.pop_back();
  EXPECT_TRUE(engine.submit(three, collector.sink()));
}

}  // namespace
}  // namespace ingot
