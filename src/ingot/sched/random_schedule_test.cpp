// Random schedules on a simulated runner: whatever arrives, ends early, fails or is preempted, every request ends once,
// the pool adds up after each step, and the tokens of a request are those it gets alone.
#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "ingot/sched/scheduler.h"
#include "ingot/sched/simulated_runner.h"

namespace ingot {
namespace {

struct Life {
  Request request;
  std::vector<int32_t> output;
  std::optional<FinishReason> finish;
  int32_t num_cached_tokens = 0;
};

// What the request gets alone, without pages, queue or steps.
Life oracle(const Request& request, int32_t max_num_tokens) {
  Life life{request, {}, {}, 0};
  uint64_t digest = 0;
  for (const int32_t token : request.prompt) digest = extend_digest(digest, token);
  const auto among = [](int32_t id, const std::vector<int32_t>& ids) {
    return std::ranges::find(ids, id) != ids.end();
  };
  while (!life.finish) {
    const int32_t token = SimulatedRunner::next_token(digest);
    digest = extend_digest(digest, token);
    life.output.push_back(token);
    const auto length = static_cast<int32_t>(request.prompt.size() + life.output.size());
    if (among(token, request.sampling.eos_token_ids) || among(token, request.sampling.stop_token_ids)) {
      life.finish = FinishReason::kStop;
    } else if (static_cast<int32_t>(life.output.size()) == request.sampling.max_tokens || length == max_num_tokens) {
      life.finish = FinishReason::kLength;
    } else if (const size_t n = life.output.size(); request.sampling.repetition_detection.max_pattern_size == 1 &&
                                                    n >= 2 && static_cast<int32_t>(n) >= request.sampling.min_tokens &&
                                                    life.output[n - 1] == life.output[n - 2]) {
      life.finish = FinishReason::kRepetition;
    }
  }
  return life;
}

// One random configuration with its arrivals. What it went through is added up, so that the suite can tell whether the
// schedules met everything that they are meant to meet.
class Schedule {
 public:
  explicit Schedule(uint32_t seed) : random_(seed) {
    cache_.block_size = pick({1, 2, 4, 8});
    scheduler_config_.max_model_len = between(8, 60);
    cache_.num_blocks = 1 + between(2, 70 / cache_.block_size + 8);
    cache_.enable_prefix_caching = chance(80);
    scheduler_config_.max_num_batched_tokens = between(1, 40);
    scheduler_config_.max_num_seqs = between(1, 7);
    scheduler_config_.long_prefill_token_threshold = chance(30) ? between(1, 12) : 0;
    scheduler_config_.enable_chunked_prefill = chance(80);
    scheduler_config_.reserve_full_prompt = chance(70);
    scheduler_config_.watermark = chance(30) ? 0.2 : 0.0;
    scheduler_config_.policy = chance(30) ? SchedulingPolicy::kPriority : SchedulingPolicy::kFcfs;
    groups_ = {{{.kind = KvKind::kFull, .num_kv_heads = 1, .head_dim = 8, .window = 0}, {0}}};
    if (chance(40)) {
      groups_.push_back({{.kind = KvKind::kWindow, .num_kv_heads = 1, .head_dim = 8, .window = between(1, 20)}, {1}});
      if (chance(50)) std::swap(groups_[0], groups_[1]);
    }
    fault_percent_ = chance(50) ? 0 : 4;
    abort_percent_ = chance(50) ? 0 : 8;
  }

  void run() {
    Scheduler scheduler(scheduler_config_, cache_, groups_);
    SimulatedRunner runner(cache_, groups_);
    int32_t num_left = 50;
    for (int step = 0; num_left > 0 || scheduler.has_unfinished(); ++step) {
      ASSERT_LT(step, 20000) << "the schedule does not end";
      for (; num_left > 0 && chance(35); --num_left) arrive(scheduler, runner);
      if (!lives_.empty() && percent(abort_percent_)) scheduler.abort(any().request.id);
      const std::optional<StepPlan> plan = scheduler.schedule();
      if (plan) {
        check_limits(*plan);
        runner.submit(*plan, percent(fault_percent_));
      }
      verify(scheduler);
      if (!plan && runner.num_in_flight() == 0) {
        hear(scheduler.take_events());
        ASSERT_FALSE(scheduler.has_unfinished()) << "nothing is in flight and nothing can be planned";
      } else if (runner.num_in_flight() == 2 || !plan || chance(20)) {
        hear(scheduler.digest(runner.collect()));
        verify(scheduler);
      }
      if (::testing::Test::HasFailure()) return;
    }
    while (runner.num_in_flight() > 0) hear(scheduler.digest(runner.collect()));
    check_end(scheduler);
  }

  EngineStats seen;  // counters at the end

 private:
  int32_t between(int32_t low, int32_t high) { return std::uniform_int_distribution<int32_t>(low, high)(random_); }
  int32_t pick(std::vector<int32_t> values) { return values[between(0, static_cast<int32_t>(values.size()) - 1)]; }
  bool percent(int32_t p) { return between(0, 99) < p; }
  bool chance(int32_t p) { return percent(p); }
  Life& any() { return std::next(lives_.begin(), between(0, static_cast<int32_t>(lives_.size()) - 1))->second; }

  void arrive(Scheduler& scheduler, SimulatedRunner& runner) {
    Request request;
    request.id = RequestId{lives_.size() + 1};
    // Prompts go on from what others said, or from one of two common beginnings.
    if (!lives_.empty() && chance(40)) {
      const Life& other = any();
      request.prompt = other.request.prompt;
      request.prompt.insert(request.prompt.end(), other.output.begin(), other.output.end());
    } else {
      for (int32_t i = 0, base = between(0, 1) * 100; i < 20; ++i) request.prompt.push_back(base + i);
    }
    request.prompt.resize(between(0, static_cast<int32_t>(request.prompt.size())));
    for (int32_t i = between(0, 8); i > 0; --i) request.prompt.push_back(between(0, SimulatedRunner::kVocab - 1));
    request.prompt.resize(std::min<size_t>(request.prompt.size(), scheduler.max_num_tokens() + 1));
    request.sampling.max_tokens = between(1, 30);
    if (chance(50)) request.sampling.eos_token_ids = {0, 1, 2};
    if (chance(30)) request.sampling.stop_token_ids = {3, 4};
    if (chance(40)) request.sampling.repetition_detection.max_pattern_size = 1;  // two equal tokens in a row
    if (chance(30)) request.sampling.min_tokens = between(1, 8);
    request.priority = between(0, 2);
    request.cache_salt = chance(10) ? "salt" : "";
    const bool can_run =
        !request.prompt.empty() && static_cast<int32_t>(request.prompt.size()) < scheduler.max_num_tokens();
    const Status added =
        chance(50) ? scheduler.add(request) : scheduler.add({request}, {scheduler.hash_prompt(request)});
    ASSERT_EQ(added.has_value(), can_run);
    if (!can_run) return;
    runner.expect(request.id, request.prompt);
    lives_[request.id] = {std::move(request), {}, {}, 0};
  }

  void check_limits(const StepPlan& plan) {
    ASSERT_FALSE(plan.rows.empty());
    ASSERT_LE(plan.num_tokens(), scheduler_config_.max_num_batched_tokens);
    ASSERT_LE(static_cast<int32_t>(plan.rows.size()), scheduler_config_.max_num_seqs);
    for (const PlannedRow& row : plan.rows) {
      ASSERT_GT(row.num_tokens, 0);
      ASSERT_LT(index(row.slot), static_cast<size_t>(scheduler_config_.max_num_seqs));
      if (row.samples) {
        ASSERT_LT(row.output_index, lives_.at(row.request).request.sampling.max_tokens);
      }
      ASSERT_FALSE(lives_.at(row.request).finish) << "a row for a request that has ended";
    }
  }

  void hear(std::vector<TokenEvent> events) {
    for (TokenEvent& event : events) {
      Life& life = lives_.at(event.request);
      ASSERT_FALSE(life.finish) << "an event after the last one";
      for (const SampledToken& token : event.tokens) life.output.push_back(token.token);
      life.finish = event.finish;
      ASSERT_EQ(event.error.has_value(), event.finish == FinishReason::kError);
      life.num_cached_tokens = event.num_cached_tokens;
      ASSERT_LT(event.num_cached_tokens, static_cast<int32_t>(life.request.prompt.size()));
      ASSERT_EQ(event.num_cached_tokens % cache_.block_size, 0);
    }
  }

  void verify(const Scheduler& scheduler) {
    const Status sound = scheduler.verify();
    ASSERT_TRUE(sound) << sound.error().message;
  }

  void check_end(Scheduler& scheduler) {
    verify(scheduler);
    seen = scheduler.stats();
    EXPECT_EQ(seen.kv_cache_usage, 0.0);
    EXPECT_EQ(seen.num_running + seen.num_waiting, 0);
    EXPECT_EQ(scheduler.waiting_load().num_tokens, 0);
    EXPECT_EQ(scheduler.waiting_load().num_bytes, 0);
    EXPECT_TRUE(scheduler.reset_prefix_cache());
    uint64_t num_output = 0;
    for (const auto& [id, life] : lives_) {
      ASSERT_TRUE(life.finish) << "a request never ended";
      num_output += life.output.size();
      const Life alone = oracle(life.request, scheduler.max_num_tokens());
      if (life.finish == FinishReason::kAbort || life.finish == FinishReason::kError) {
        ASSERT_LE(life.output.size(), alone.output.size());
        EXPECT_TRUE(std::equal(life.output.begin(), life.output.end(), alone.output.begin()));
      } else {
        EXPECT_EQ(life.output, alone.output);
        EXPECT_EQ(life.finish, alone.finish);
      }
    }
    EXPECT_EQ(seen.generation_tokens, num_output);
  }

  std::mt19937 random_;
  SchedulerConfig scheduler_config_;
  CacheConfig cache_;
  std::vector<KvGroup> groups_;
  int32_t fault_percent_ = 0, abort_percent_ = 0;
  std::map<RequestId, Life> lives_;
};

TEST(RandomSchedule, TokensDoNotDependOnTheSchedule) {
  EngineStats all;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Schedule schedule(seed);
    schedule.run();
    if (HasFailure()) return;
    all.num_preemptions += schedule.seen.num_preemptions;
    all.prefix_cache_hits += schedule.seen.prefix_cache_hits;
    for (size_t i = 0; i < all.finished.size(); ++i) all.finished[i] += schedule.seen.finished[i];
  }
  // The schedules met what they are meant to meet.
  EXPECT_GT(all.num_preemptions, 1000u);
  EXPECT_GT(all.prefix_cache_hits, 10000u);
  for (const uint64_t num_finished : all.finished) EXPECT_GT(num_finished, 300u);
}

}  // namespace
}  // namespace ingot
