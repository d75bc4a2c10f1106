// The engine's loop with the real scheduler over a scripted runner: every request hears its own tokens and one end.
#include "ingot/engine/local_engine.h"

#include <deque>
#include <future>
#include <latch>

#include <gtest/gtest.h>

namespace ingot {
namespace {

using namespace std::chrono_literals;

// Token of a request's output: known in advance, so that a mix-up shows.
int32_t scripted(RequestId id, int32_t index) {
  return static_cast<int32_t>(index * 100 + static_cast<uint64_t>(id) % 100);
}

struct Faults {
  std::atomic<uint64_t> failing_step{0};
  std::atomic<bool> dies{false};
};

class ScriptedRunner final : public StepRunner {
 public:
  ScriptedRunner(bool queues_ahead, std::shared_ptr<Faults> faults)
      : queues_ahead_(queues_ahead), faults_(std::move(faults)) {}

  void prepare(const StepPlan& plan) override {
    if (faults_->dies) throw std::runtime_error("scripted death");
    EXPECT_FALSE(prepared_.has_value());
    StepResult& result = prepared_.emplace();
    result.step = plan.step;
    if (plan.step != 0 && plan.step == faults_->failing_step) result.error = "scripted failure";
    for (const PlannedRow& row : plan.rows) {
      if (row.samples) result.tokens.push_back({row.request, scripted(row.request, row.output_index), {}});
    }
  }

  void launch() override {
    launched_.push_back(*std::exchange(prepared_, std::nullopt));
    EXPECT_LE(launched_.size(), queues_ahead_ ? 2u : 1u);
  }

  StepResult collect() override {
    StepResult result = std::move(launched_.front());
    launched_.pop_front();
    std::this_thread::sleep_for(200us);
    return result;
  }

  bool queues_ahead() const override { return queues_ahead_; }

 private:
  bool queues_ahead_;
  std::shared_ptr<Faults> faults_;
  std::optional<StepResult> prepared_;
  std::deque<StepResult> launched_;
};

LocalEngine::Build build(bool queues_ahead, std::shared_ptr<Faults> faults = std::make_shared<Faults>(),
                         SchedulerConfig limits = {}) {
  return [=]() mutable -> Result<EngineParts> {
    limits.max_model_len = 256;
    limits.max_num_batched_tokens = 64;
    limits.max_num_seqs = 8;
    limits.verify_each_step = true;
    const CacheConfig cache{.block_size = 16, .num_blocks = 64, .enable_prefix_caching = true, .hash_root = "test"};
    const std::vector<KvGroup> groups{{KvSpec{KvKind::kFull, 1, 16}, {0}}};
    return EngineParts{std::make_unique<Scheduler>(limits, cache, groups),
                       std::make_unique<ScriptedRunner>(queues_ahead, faults), limits, 1};
  };
}

Request request(uint64_t id, int32_t prompt_length, int32_t max_tokens) {
  Request r;
  r.id = RequestId{id};
  for (int32_t i = 0; i < prompt_length; ++i) r.prompt.push_back(static_cast<int32_t>(id * 1000 + i));
  r.sampling.max_tokens = max_tokens;
  return r;
}

struct Heard {
  std::vector<int32_t> tokens;
  FinishReason finish{};
  std::string error;
};

std::future<Heard> run(Engine& engine, Request r) {
  auto promise = std::make_shared<std::promise<Heard>>();
  auto heard = std::make_shared<Heard>();
  std::future<Heard> future = promise->get_future();
  const Status accepted = engine.submit({std::move(r)}, [promise, heard](TokenEvent event) {
    for (const SampledToken& token : event.tokens) heard->tokens.push_back(token.token);
    if (!event.finish) return;
    heard->finish = *event.finish;
    if (event.error) heard->error = event.error->message;
    promise->set_value(*heard);
  });
  EXPECT_TRUE(accepted.has_value()) << accepted.error().message;
  return future;
}

class LocalEngineTest : public testing::TestWithParam<bool> {};

TEST_P(LocalEngineTest, EachRequestHearsItsOwnTokens) {
  LocalEngine engine(build(GetParam()));
  ASSERT_TRUE(engine.wait_ready().has_value());
  std::vector<std::future<Heard>> heard;
  for (uint64_t id = 1; id <= 60; ++id) heard.push_back(run(engine, request(id, 1 + id % 90, 1 + id % 17)));
  for (uint64_t id = 1; id <= 60; ++id) {
    const Heard h = heard[id - 1].get();
    EXPECT_EQ(h.finish, FinishReason::kLength);
    ASSERT_EQ(h.tokens.size(), 1 + id % 17);
    for (size_t i = 0; i < h.tokens.size(); ++i)
      EXPECT_EQ(h.tokens[i], scripted(RequestId{id}, static_cast<int32_t>(i)));
  }
}

TEST_P(LocalEngineTest, AbortEndsARequest) {
  LocalEngine engine(build(GetParam()));
  ASSERT_TRUE(engine.wait_ready().has_value());
  std::future<Heard> heard = run(engine, request(1, 4, 200));
  std::this_thread::sleep_for(5ms);
  engine.abort(RequestId{1});
  engine.abort(RequestId{77});
  EXPECT_EQ(heard.get().finish, FinishReason::kAbort);
  EXPECT_EQ(run(engine, request(2, 4, 3)).get().tokens.size(), 3u);
}

TEST_P(LocalEngineTest, AFailedStepEndsItsRequestsOnly) {
  auto faults = std::make_shared<Faults>();
  faults->failing_step = 3;
  LocalEngine engine(build(GetParam(), faults));
  ASSERT_TRUE(engine.wait_ready().has_value());
  const Heard failed = run(engine, request(1, 4, 100)).get();
  EXPECT_EQ(failed.finish, FinishReason::kError);
  EXPECT_NE(failed.error.find("scripted failure"), std::string::npos);
  EXPECT_EQ(run(engine, request(2, 40, 5)).get().finish, FinishReason::kLength);
  EXPECT_TRUE(engine.ready());
}

TEST_P(LocalEngineTest, ADeadEngineTellsEveryone) {
  auto faults = std::make_shared<Faults>();
  LocalEngine engine(build(GetParam(), faults));
  ASSERT_TRUE(engine.wait_ready().has_value());
  std::vector<std::future<Heard>> heard;  // more than run at a time
  for (uint64_t id = 1; id <= 20; ++id) heard.push_back(run(engine, request(id, 4, 250)));
  faults->dies = true;
  for (std::future<Heard>& each : heard) EXPECT_EQ(each.get().finish, FinishReason::kError);
  EXPECT_FALSE(engine.alive());
  EXPECT_EQ(engine.stats().num_running + engine.stats().num_waiting, 0);
  EXPECT_EQ(engine.stats().finished[static_cast<size_t>(FinishReason::kError)], 20u);
  EXPECT_FALSE(engine.ready());
  EXPECT_EQ(engine.submit({request(2, 4, 4)}, [](TokenEvent) {}).error().code, ErrorCode::kUnavailable);
}

TEST_P(LocalEngineTest, StopDrainsThenAborts) {
  LocalEngine drained(build(GetParam()));
  ASSERT_TRUE(drained.wait_ready().has_value());
  std::future<Heard> short_one = run(drained, request(1, 4, 20));
  drained.stop(10s);
  EXPECT_EQ(short_one.get().finish, FinishReason::kLength);

  LocalEngine cut(build(GetParam()));
  ASSERT_TRUE(cut.wait_ready().has_value());
  std::future<Heard> long_one = run(cut, request(1, 4, 250));
  cut.stop(0s);
  EXPECT_EQ(long_one.get().finish, FinishReason::kAbort);
}

TEST_P(LocalEngineTest, RefusesWhatCanNeverRunAndWhatIsTooMuch) {
  SchedulerConfig limits;
  limits.max_num_queued_reqs = 4;
  LocalEngine engine(build(GetParam(), std::make_shared<Faults>(), limits));
  ASSERT_TRUE(engine.wait_ready().has_value());
  EXPECT_EQ(engine.submit({request(1, 256, 4)}, [](TokenEvent) {}).error().code, ErrorCode::kInvalidArgument);
  std::vector<std::future<Heard>> heard;
  for (uint64_t id = 1; id <= 8; ++id) {
    heard.push_back(run(engine, request(id, 4, 200)));
    while (engine.stats().num_running < static_cast<int32_t>(id)) std::this_thread::sleep_for(1ms);
  }
  bool refused = false;
  for (uint64_t id = 10; id < 20 && !refused; ++id) {
    const Status status = engine.submit({request(id, 4, 1)}, [](TokenEvent) {});
    refused = !status && status.error().code == ErrorCode::kResourceExhausted;
  }
  EXPECT_TRUE(refused);
}

INSTANTIATE_TEST_SUITE_P(Pipelines, LocalEngineTest, testing::Bool());

TEST(LocalEngine, AFailedBuildIsReported) {
  LocalEngine engine([]() -> Result<EngineParts> { return fail(ErrorCode::kNotFound, "no such model"); });
  const Status ready = engine.wait_ready();
  ASSERT_FALSE(ready.has_value());
  EXPECT_EQ(ready.error().message, "no such model");
}

}  // namespace
}  // namespace ingot
