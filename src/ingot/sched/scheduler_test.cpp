// What the schedules of tests/schedules cannot say: defects of a runner, hashes made elsewhere, settings, calls of
// many.
#include "ingot/sched/scheduler.h"

#include <numeric>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace ingot {
namespace {

const std::vector<KvGroup> kGroups{{{.kind = KvKind::kFull, .num_kv_heads = 1, .head_dim = 8, .window = 0}, {0}}};
const SchedulerConfig kConfig{.max_num_batched_tokens = 64, .max_num_seqs = 2, .max_model_len = 64};
const CacheConfig kCache{.block_size = 4, .num_blocks = 33, .enable_prefix_caching = true, .hash_root = "test"};

Request request_of(uint64_t id, int num_tokens) {
  Request request;
  request.id = RequestId{id};
  request.prompt.resize(num_tokens);
  std::iota(request.prompt.begin(), request.prompt.end(), static_cast<int32_t>(id) * 100);
  return request;
}

StepResult result_of(const StepPlan& plan, int32_t token) {
  StepResult result{plan.step, {}, {}, {}};
  for (const PlannedRow& row : plan.rows)
    if (row.samples) result.tokens.push_back({row.request, token, {}});
  return result;
}

TEST(Scheduler, RefusesSettingsThatAllowNoStep) {
  for (const auto breaks :
       {&SchedulerConfig::max_num_batched_tokens, &SchedulerConfig::max_num_seqs, &SchedulerConfig::max_model_len}) {
    SchedulerConfig config = kConfig;
    config.*breaks = 0;
    EXPECT_THROW(Scheduler(config, kCache, kGroups), std::invalid_argument);
  }
}

TEST(Scheduler, AResultThatDoesNotFitItsStepFailsIt) {
  const auto foul = [](auto spoil) {
    Scheduler scheduler(kConfig, kCache, kGroups);
    EXPECT_TRUE(scheduler.add(request_of(1, 8)));
    StepResult result = result_of(*scheduler.schedule(), 5);
    spoil(result);
    const auto events = scheduler.digest(result);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].finish, FinishReason::kError);
    EXPECT_EQ(events[0].error->code, ErrorCode::kInternal);
    EXPECT_FALSE(events[0].error->message.empty());
    EXPECT_TRUE(events[0].tokens.empty());
    EXPECT_FALSE(scheduler.has_unfinished());
    EXPECT_TRUE(scheduler.verify());
  };
  foul([](StepResult& result) { result.tokens.clear(); });
  foul([](StepResult& result) { result.tokens.push_back({RequestId{1}, 6, {}}); });
  foul([](StepResult& result) { result.tokens[0].request = RequestId{9}; });
}

TEST(Scheduler, StepsAreDigestedInOrder) {
  Scheduler scheduler(kConfig, kCache, kGroups);
  EXPECT_THROW(scheduler.digest({1, {}, {}, {}}), std::logic_error);
  ASSERT_TRUE(scheduler.add(request_of(1, 8)));
  const StepPlan first = *scheduler.schedule(), second = *scheduler.schedule();
  EXPECT_EQ(first.step, 1u);
  EXPECT_EQ(second.step, 2u);
  EXPECT_THROW(scheduler.digest(result_of(second, 5)), std::logic_error);
  EXPECT_EQ(scheduler.digest(result_of(first, 5)).size(), 1u);
  EXPECT_EQ(scheduler.digest(result_of(second, 5)).size(), 1u);
}

TEST(Scheduler, TakesAllRequestsOfACallOrNone) {
  Scheduler scheduler(kConfig, kCache, kGroups);
  EXPECT_FALSE(scheduler.add({request_of(1, 8), request_of(2, 64)}));
  EXPECT_FALSE(scheduler.add({request_of(1, 8), request_of(1, 8)}));
  EXPECT_FALSE(scheduler.has_unfinished());
  EXPECT_TRUE(scheduler.add({request_of(1, 8), request_of(2, 8)}));
  const auto again = scheduler.add(request_of(2, 8));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(scheduler.stats().num_waiting, 2);
}

TEST(Scheduler, HashesMadeOnAnotherThreadHit) {
  Scheduler scheduler(kConfig, kCache, kGroups);
  for (uint64_t id : {1, 2}) {
    Request request = request_of(7, 13);
    request.id = RequestId{id};
    request.sampling.max_tokens = 1;
    std::vector<BlockHash> hashes;
    std::thread([&] { hashes = scheduler.hash_prompt(request); }).join();
    EXPECT_EQ(hashes.size(), 3u);
    ASSERT_TRUE(scheduler.add({request}, {hashes}));
    const auto events = scheduler.digest(result_of(*scheduler.schedule(), 5));
    EXPECT_EQ(events.at(0).num_cached_tokens, id == 1 ? 0 : 12);
  }
}

TEST(Scheduler, WaitingDataIsBoundedWithoutAnyFlag) {
  SchedulerConfig config = kConfig;
  config.max_model_len = 1 << 20;
  CacheConfig cache = kCache;
  cache.num_blocks = 1 << 18;
  Scheduler scheduler(config, cache, kGroups);
  uint64_t id = 0;
  Status added;
  while ((added = scheduler.add(request_of(++id, 1'000'000)))) ASSERT_LT(id, 100u);
  EXPECT_EQ(added.error().code, ErrorCode::kResourceExhausted);
  EXPECT_LE(scheduler.waiting_load().num_bytes, int64_t{256} << 20);
  EXPECT_GT(scheduler.waiting_load().num_bytes, int64_t{240} << 20);
}

TEST(Scheduler, TimesFollowTheRequest) {
  Scheduler scheduler(kConfig, kCache, kGroups);
  Request request = request_of(1, 8);
  request.sampling.max_tokens = 2;
  ASSERT_TRUE(scheduler.add(request));
  for (const bool last : {false, true}) {
    const RequestTimes times = scheduler.digest(result_of(*scheduler.schedule(), 5)).at(0).times;
    EXPECT_EQ(times.arrival, request.arrival);
    EXPECT_LE(times.arrival, times.first_scheduled);
    EXPECT_LT(times.first_scheduled, times.first_token);
    EXPECT_EQ(times.first_token < times.last_token, last);
  }
}

TEST(Scheduler, RunsWithoutPrefixCaching) {
  CacheConfig cache = kCache;
  cache.enable_prefix_caching = false;
  Scheduler scheduler(kConfig, cache, kGroups);
  for (uint64_t id : {1, 2}) {
    Request request = request_of(7, 13);
    request.id = RequestId{id};
    request.sampling.max_tokens = 1;
    EXPECT_TRUE(scheduler.hash_prompt(request).empty());
    ASSERT_TRUE(scheduler.add(request));
    EXPECT_EQ(scheduler.digest(result_of(*scheduler.schedule(), 5)).at(0).num_cached_tokens, 0);
  }
  EXPECT_EQ(scheduler.stats().prefix_cache_queries, 0u);
}

}  // namespace
}  // namespace ingot
