// Calls over the mock engine: waking, cancelling at every stage, bounds, health, metrics.
#include "ingot/serve/service.h"

#include <condition_variable>

#include "tests/support/tiny_model.h"
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "ingot/engine/mock_engine.h"

namespace ingot::serve {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

// Plays the connection: polls when woken.
class Client {
 public:
  Call::Wake wake() {
    return [this] {
      std::lock_guard lock(mutex_);
      ++wakes_;
      changed_.notify_one();
    };
  }

  bool wait() {
    std::unique_lock lock(mutex_);
    const bool woken = changed_.wait_for(lock, std::chrono::seconds(5), [&] { return wakes_ > seen_; });
    seen_ = wakes_;
    return woken;
  }

  Progress to_end(Call& call) {
    Progress all;
    while (!all.ended) {
      if (!all.more && !wait()) break;
      all.more = false;
      call.poll(all);
    }
    EXPECT_TRUE(all.ended);
    return all;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int wakes_ = 0, seen_ = 0;
};

class ServiceTest : public ::testing::Test {
 protected:
  void open(MockOptions options = {}) {
    engine_ = std::make_shared<MockEngine>(std::move(options));
    service_.open(testing::tiny_model(INGOT_SOURCE_DIR), engine_, {});
  }
  ~ServiceTest() override {
    if (engine_) engine_->stop(milliseconds(0));
  }

  std::shared_ptr<Call> complete(const std::string& fields) {
    CallInput input;
    input.body = "{" + fields + "}";
    return service_.start(api::Endpoint::kCompletions, std::move(input), client_.wake());
  }

  uint64_t aborted() const { return engine_->stats().finished[static_cast<size_t>(FinishReason::kAbort)]; }
  bool becomes_idle() const {
    for (int i = 0; i < 1000; ++i) {
      const EngineStats stats = engine_->stats();
      if (stats.num_running + stats.num_waiting == 0) return true;
      std::this_thread::sleep_for(milliseconds(1));
    }
    return false;
  }

  Client client_;
  std::shared_ptr<MockEngine> engine_;
  Service service_{{.num_workers = 1, .log_interval = milliseconds(0)}};
};

constexpr const char* kLong = R"("prompt":"abc","ignore_eos":true,"max_tokens":2000,"stream":true)";

TEST_F(ServiceTest, ServesNothingBeforeAModelIsOpen) {
  EXPECT_FALSE(service_.healthy());
  EXPECT_EQ(service_.model(), nullptr);
  EXPECT_EQ(complete(R"("prompt":"a")"), nullptr);
  open({.ready = false});
  EXPECT_FALSE(service_.healthy());
  engine_->set_ready(true);
  EXPECT_TRUE(service_.healthy());
}

TEST_F(ServiceTest, AnswersWhole) {
  open();
  const Progress progress = client_.to_end(*complete(R"("prompt":"Hello world")"));
  ASSERT_TRUE(progress.whole);
  EXPECT_EQ(progress.whole->status, 200);
  EXPECT_NE(progress.whole->body.find(R"("text":"Hello world")"), std::string::npos);
}

TEST_F(ServiceTest, StreamsAllTokensOfASlowEngine) {
  open({.step_time = milliseconds(1)});
  const Progress progress = client_.to_end(*complete(R"("prompt":"One two three","stream":true)"));
  EXPECT_GT(progress.chunks.size(), 2u);
}

TEST_F(ServiceTest, RefusesABadRequest) {
  open();
  const Progress progress = client_.to_end(*complete(R"("prompt":"")"));
  ASSERT_TRUE(progress.whole);
  EXPECT_EQ(progress.whole->status, 400);
}

// The mock's best token is the prompt's next one, the i-th best is made up of it.
TEST_F(ServiceTest, SearchesBeams) {
  open();
  const Progress progress =
      client_.to_end(*complete(R"("prompt":"One two","use_beam_search":true,"n":3,"max_tokens":4,"ignore_eos":true)"));
  ASSERT_TRUE(progress.whole);
  const json::object body = json::parse(progress.whole->body).as_object();
  ASSERT_EQ(body.at("choices").as_array().size(), 3u);
  EXPECT_EQ(body.at("usage").at("completion_tokens").to_number<int>(), 12);
  for (const auto& choice : body.at("choices").as_array()) EXPECT_EQ(choice.at("finish_reason"), "length");
}

TEST_F(ServiceTest, AFailedRoundFailsTheBeams) {
  open();
  engine_->hold(true);
  const auto call = complete(R"("prompt":"One two","use_beam_search":true,"n":3,"max_tokens":4)");
  engine_->fail_step("bad step");
  engine_->hold(false);
  const Progress progress = client_.to_end(*call);
  ASSERT_TRUE(progress.whole);
  EXPECT_EQ(progress.whole->status, 500);
  EXPECT_TRUE(becomes_idle());
}

TEST_F(ServiceTest, BeamsOfACancelledCallEnd) {
  open({.step_time = milliseconds(2)});
  const auto call = complete(R"("prompt":"One two","use_beam_search":true,"n":3,"max_tokens":2000,"ignore_eos":true)");
  Progress progress;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(client_.wait());
    call->poll(progress);
  }
  ASSERT_FALSE(progress.ended);
  call->cancel();
  EXPECT_TRUE(becomes_idle());
}

TEST_F(ServiceTest, BeamsThatTheQueueDoesNotTakeAreRefused) {
  open({.max_num_seqs = 1, .max_num_queued_reqs = 2});
  const Progress progress = client_.to_end(*complete(R"("prompt":"a b","use_beam_search":true,"n":9,"max_tokens":4)"));
  ASSERT_TRUE(progress.whole);
  EXPECT_EQ(progress.whole->status, 503);
  EXPECT_TRUE(becomes_idle());
}

TEST_F(ServiceTest, PassesOnThatTheQueueIsFull) {
  open({.max_num_seqs = 1, .max_num_queued_reqs = 1});
  engine_->hold(true);
  const Progress progress = client_.to_end(*complete(R"("prompt":"a","n":3)"));
  ASSERT_TRUE(progress.whole);
  EXPECT_EQ(progress.whole->status, 503);
  EXPECT_TRUE(progress.whole->retry_after_s);
}

TEST_F(ServiceTest, CancelEndsARunningCall) {
  open({.step_time = milliseconds(1)});
  const auto call = complete(std::string(kLong) + R"(,"n":2)");
  ASSERT_TRUE(client_.wait());
  call->cancel();
  EXPECT_TRUE(becomes_idle());
  EXPECT_EQ(aborted(), 2u);
  EXPECT_NE(service_.metrics_text().find(R"(finished_reason="abort",model_name="tiny"} 2)"), std::string::npos);
}

TEST_F(ServiceTest, CancelAtAnyMomentLeavesNothingBehind) {
  open();
  for (int i = 0; i < 200; ++i) {
    const auto call = complete(kLong);
    std::this_thread::sleep_for(std::chrono::microseconds(i));
    call->cancel();
  }
  client_.to_end(*complete(R"("prompt":"a")"));  // the worker has seen them all
  EXPECT_TRUE(becomes_idle());
}

TEST_F(ServiceTest, ADroppedClientThatNeverPollsOverflowsAndIsAborted) {
  open();
  const auto call = complete(R"("prompt":"abc","ignore_eos":true,"max_tokens":2000,"n":64,"logprobs":20)");
  EXPECT_TRUE(client_.wait());
  for (int i = 0; i < 5000 && aborted() == 0; ++i) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_GT(aborted(), 0u);
  Progress progress;
  call->poll(progress);
  EXPECT_TRUE(progress.too_slow && progress.ended);
}

TEST_F(ServiceTest, ADeadEngineIsAnInternalError) {
  open();
  engine_->die("gone");
  for (int i = 0; i < 1000 && engine_->alive(); ++i) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_FALSE(service_.healthy());
  const Progress progress = client_.to_end(*complete(R"("prompt":"a")"));
  ASSERT_TRUE(progress.whole);
  EXPECT_EQ(progress.whole->status, 500);
}

TEST_F(ServiceTest, MetricsNameTheModelFromTheStart) {
  open();
  const std::string text = service_.metrics_text();
  for (const char* sample : {
           R"(vllm:num_requests_running{engine="0",model_name="tiny"} 0)",
           R"(vllm:generation_tokens_total{engine="0",model_name="tiny"} 0)",
           R"(vllm:request_success_total{engine="0",finished_reason="stop",model_name="tiny"} 0)",
           R"(vllm:time_to_first_token_seconds_bucket{engine="0",model_name="tiny",le="0.001"} 0)",
           R"(vllm:request_prompt_tokens_bucket{engine="0",model_name="tiny",le="2000"} 0)",
           "process_resident_memory_bytes ",
       }) {
    EXPECT_NE(text.find(sample), std::string::npos) << sample;
  }
  EXPECT_EQ(text.find(R"(vllm:request_prompt_tokens_bucket{engine="0",model_name="tiny",le="5000"})"),
            std::string::npos);
}

TEST(StatsLine, TellsRatesAndIsSilentWhenIdle) {
  EngineStats before, after;
  EXPECT_EQ(stats_line(before, after, 10), "");
  after.prompt_tokens = 100;
  after.generation_tokens = 50;
  after.num_running = 2;
  after.num_waiting = 1;
  after.kv_cache_usage = 0.25;
  after.prefix_cache_queries = 200;
  after.prefix_cache_hits = 50;
  EXPECT_EQ(
      stats_line(before, after, 10),
      "Engine 000: Avg prompt throughput: 10.0 tokens/s, Avg generation throughput: 5.0 tokens/s, Running: 2 reqs, "
      "Waiting: 1 reqs, GPU KV cache usage: 25.0%, Prefix cache hit rate: 25.0%");
  after.num_preemptions = 3;
  EXPECT_NE(stats_line(before, after, 10).find("Preemptions: 3, "), std::string::npos);
  EXPECT_NE(stats_line(after, after, 10), "") << "still running";
}

}  // namespace
}  // namespace ingot::serve
