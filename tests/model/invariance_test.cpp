// A request's tokens and logprobs are the same bits alone, in a batch, in any chunks, after a prefix hit and after
// preemption.
#include <map>
#include <random>
#include <string>
#include <thread>

#include "model_test_engine.h"
#include <gtest/gtest.h>

namespace ingot::testing {
namespace {

constexpr int kNumRequests = 32;

// Requests of varied length and temperature; request 0 has a prompt that several chunks of 16 and one of 512 cut.
std::vector<Request> mixed_requests(const Tokenizer& tokenizer, int count) {
  std::vector<Request> requests;
  for (int i = 0; i < count; ++i) {
    const int32_t length = i == 0 ? 600 : 1 + (i * 37) % 170;
    requests.push_back(
        make_request(sample_prompt(tokenizer, i, length), 8 + i % 9, i % 3 == 0 ? 0.0f : 0.9f, 1000 + i));
  }
  return requests;
}

std::vector<Output> run_together(Engine& engine, const std::vector<Request>& requests) {
  std::vector<std::future<Output>> running;
  for (Request request : requests) running.push_back(start(engine, std::move(request)));
  std::vector<Output> outputs;
  for (auto& future : running) outputs.push_back(future.get());
  return outputs;
}

// Each request alone, nothing cached: what every other way of running must equal.
class Invariance : public ::testing::TestWithParam<ModelForm> {
 protected:
  struct Expected {
    std::vector<Request> requests;
    std::vector<Output> alone;
  };

  Invariance() : requests_(expected().requests), alone_(expected().alone) {}

  static OpenedModel open(const Settings& settings) { return open_test_model(GetParam(), settings); }

  // Made once a form.
  static const Expected& expected() {
    static std::map<std::string, Expected> made;
    const auto [entry, is_new] = made.try_emplace(GetParam().name);
    Expected& result = entry->second;
    if (is_new) {
      const OpenedModel model = open({.enable_prefix_caching = false});
      result.requests = mixed_requests(*model.text.tokenizer, kNumRequests);
      for (const Request& request : result.requests) result.alone.push_back(run(*model.engine, request));
    }
    return result;
  }

  void expect_as_alone(const std::vector<Output>& outputs, const char* how) const {
    for (size_t i = 0; i < outputs.size(); ++i) EXPECT_TRUE(outputs[i] == alone_[i]) << how << ": request " << i;
  }

  const std::vector<Request>& requests_;
  const std::vector<Output>& alone_;
};

TEST_P(Invariance, TheTestCanSeeADifference) {
  EXPECT_EQ(alone_[0].finish, FinishReason::kLength);
  EXPECT_FALSE(alone_[0] == alone_[3]);
  EXPECT_GT(alone_[1].tokens.size(), 0u);
}

TEST_P(Invariance, AmongThirtyOneOthers) {
  OpenedModel model = open({.enable_prefix_caching = false});
  expect_as_alone(run_together(*model.engine, requests_), "in one batch");
}

TEST_P(Invariance, InChunksOf16And512) {
  for (const int32_t chunk : {16, 512}) {
    OpenedModel model =
        open({.max_num_batched_tokens = 512, .long_prefill_token_threshold = chunk, .enable_prefix_caching = false});
    expect_as_alone(run_together(*model.engine, requests_), chunk == 16 ? "chunks of 16" : "chunks of 512");
    EXPECT_TRUE(run(*model.engine, requests_[0]) == alone_[0]) << "alone in chunks of " << chunk;
  }
}

TEST_P(Invariance, AfterPreemption) {
  // 64 blocks of 16 tokens for prompts and outputs of some 3,500: the running ones push each other out.
  OpenedModel model = open({.max_model_len = 768, .num_blocks = 64});
  expect_as_alone(run_together(*model.engine, requests_), "in a tiny pool");
  const EngineStats stats = model.engine->stats();
  EXPECT_GT(stats.num_preemptions, 0u);
}

TEST_P(Invariance, AfterAPrefixHit) {
  OpenedModel cold = open({.enable_prefix_caching = false});
  OpenedModel warm = open({});
  for (const int32_t length : {15, 16, 17, 31, 32, 33, 47, 48, 49, 160}) {
    const std::vector<int32_t> prompt = sample_prompt(*cold.text.tokenizer, 5000 + length, length);
    const Output expected = run(*cold.engine, make_request(prompt, 6, 0.8f, 7));
    const Output first = run(*warm.engine, make_request(prompt, 6, 0.8f, 7));
    const Output again = run(*warm.engine, make_request(prompt, 6, 0.8f, 7));
    EXPECT_TRUE(first == expected) << length;
    EXPECT_TRUE(again == expected) << length;
    EXPECT_EQ(first.num_cached_tokens, 0) << length;
    EXPECT_EQ(again.num_cached_tokens, (length - 1) / 16 * 16) << "a whole-prompt hit recomputes the last block";
    std::vector<int32_t> longer = prompt;
    longer.insert(longer.end(), {10, 20, 30});
    EXPECT_TRUE(run(*warm.engine, make_request(longer, 6, 0.8f, 9)) ==
                run(*cold.engine, make_request(longer, 6, 0.8f, 9)))
        << length;
  }
}

TEST_P(Invariance, UnderRandomSchedules) {
  for (const uint32_t seed : {1u, 2u}) {
    std::mt19937 random(seed);
    OpenedModel model = open({.max_num_batched_tokens = 64 + static_cast<int32_t>(random() % 200),
                              .max_num_seqs = 4 + static_cast<int32_t>(random() % 12),
                              .max_model_len = 768,
                              .num_blocks = 60});
    std::vector<std::pair<size_t, std::future<Output>>> running;
    for (int i = 0; i < 60; ++i) {
      const size_t which = random() % requests_.size();
      const Request& original = requests_[which];
      Request request = make_request(original.prompt, original.sampling.max_tokens, original.sampling.temperature,
                                     original.sampling.seed);
      const RequestId id = request.id;
      running.emplace_back(which, start(*model.engine, std::move(request)));
      if (random() % 4 == 0) model.engine->abort(id);
      if (random() % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(random() % 40));
    }
    int finished = 0;
    for (auto& [which, future] : running) {
      const Output output = future.get();
      const Output& expected = alone_[which];
      if (output.finish == FinishReason::kAbort) {
        EXPECT_TRUE(std::equal(output.tokens.begin(), output.tokens.end(), expected.tokens.begin())) << which;
        continue;
      }
      ++finished;
      EXPECT_TRUE(output == expected) << "seed " << seed << ", request " << which;
    }
    EXPECT_GT(finished, 20);
    const EngineStats stats = stats_when_idle(*model.engine);
    EXPECT_EQ(stats.num_running, 0);
    EXPECT_EQ(stats.kv_cache_usage, 0.0) << "every block is free or cached when idle";
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, Invariance, ::testing::Values(kGguf, kBf16), name_of_form);

}  // namespace
}  // namespace ingot::testing
