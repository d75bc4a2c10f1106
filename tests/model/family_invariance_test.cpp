// Tiny models behind a real engine: windows, mixed groups and head norms give the same bits however requests run.
#include <random>
#include <thread>

#include "family_model.h"
#include "model_test_engine.h"
#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ingot::testing {
namespace {

struct Variant {
  std::string name, checkpoint, changes;
};

std::shared_ptr<const Checkpoint> open(const Variant& v) {
  return open_family(v.checkpoint, boost::json::parse(v.changes).as_object());
}

const Variant kWindow{"Window", "mistral", "{}"};                           // every layer sees 40 tokens
const Variant kMixed{"Mixed", "qwen2", R"({"use_sliding_window": true})"};  // a full layer, two that see 40
const Variant kNormed{"Normed", "qwen3", "{}"};                             // full, heads normed
const Variant kSixteen{"Sixteen", "mistral", R"({"sliding_window": 16})"};  // a window of one block

std::vector<int32_t> random_prompt(uint32_t seed, int length) {
  std::mt19937 random(seed);
  std::vector<int32_t> ids(length);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % 140);
  return ids;
}

// Prompts of 1 to 300 tokens; every other one is short and grows.
std::vector<Request> requests(int count = 24) {
  std::vector<Request> all;
  for (int i = 0; i < count; ++i) {
    const int length = i == 0 ? 300 : i % 2 ? 1 + (i * 37) % 170 : 1 + i % 12;
    all.push_back(make_request(random_prompt(i, length), i % 2 ? 8 + i : i == 0 ? 8 : 50 + i, i % 3 ? 0.9f : 0.0f, i));
  }
  return all;
}

std::vector<Output> run_together(Engine& engine, std::vector<Request> all) {
  std::vector<std::future<Output>> running;
  for (Request& request : all) running.push_back(start(engine, std::move(request)));
  std::vector<Output> outputs;
  for (auto& future : running) outputs.push_back(future.get());
  return outputs;
}

std::vector<Output> run_alone(const Variant& v, std::vector<Request> all) {
  const auto engine = start_family(open(v), {.enable_prefix_caching = false});
  std::vector<Output> outputs;
  for (Request& request : all) outputs.push_back(run(*engine, std::move(request)));
  return outputs;
}

void expect_equal(const std::vector<Output>& actual, const std::vector<Output>& expected, const char* how) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) EXPECT_TRUE(actual[i] == expected[i]) << how << ": request " << i;
}

class FamilyInvariance : public ::testing::TestWithParam<Variant> {};

TEST_P(FamilyInvariance, InBatchesChunksAndATinyPool) {
  const std::vector<Output> alone = run_alone(GetParam(), requests());
  EXPECT_FALSE(alone[0] == alone[3]);
  for (const int chunk : {0, 16, 37}) {
    FamilyEngine settings{.enable_prefix_caching = false};
    settings.scheduler.long_prefill_token_threshold = chunk;
    expect_equal(run_together(*start_family(open(GetParam()), settings), requests()), alone, "in one batch");
  }
  FamilyEngine tiny{.num_blocks = 21};
  tiny.scheduler.max_model_len = 320;
  const auto engine = start_family(open(GetParam()), tiny);
  expect_equal(run_together(*engine, requests()), alone, "in a tiny pool");
  // A window of one block never holds more than two pages a request.
  EXPECT_EQ(engine->stats().num_preemptions > 0, GetParam().name != "Sixteen");
  EXPECT_EQ(stats_when_idle(*engine).kv_cache_usage, 0.0);
}

TEST_P(FamilyInvariance, AfterAPrefixHit) {
  const auto cold = start_family(open(GetParam()), {.enable_prefix_caching = false});
  const auto warm = start_family(open(GetParam()), {});
  for (const int length : {15, 16, 17, 39, 40, 41, 48, 49, 57, 200}) {
    const std::vector<int32_t> prompt = random_prompt(1000 + length, length);
    const Output expected = run(*cold, make_request(prompt, 50, 0.8f, 7));
    EXPECT_TRUE(run(*warm, make_request(prompt, 50, 0.8f, 7)) == expected) << length;
    const Output again = run(*warm, make_request(prompt, 50, 0.8f, 7));
    EXPECT_TRUE(again == expected) << length;
    EXPECT_EQ(again.num_cached_tokens, (length - 1) / 16 * 16) << length;
    std::vector<int32_t> longer = prompt;
    longer.insert(longer.end(), expected.tokens.begin(), expected.tokens.end());  // what the first request computed
    longer.insert(longer.end(), {10, 20, 30});
    const Output follow_up = run(*warm, make_request(longer, 20, 0.8f, 9));
    EXPECT_TRUE(follow_up == run(*cold, make_request(longer, 20, 0.8f, 9))) << length;
    EXPECT_GE(follow_up.num_cached_tokens, (length + 49) / 16 * 16) << length;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FamilyInvariance, ::testing::Values(kWindow, kMixed, kNormed, kSixteen),
                         [](const auto& info) { return info.param.name; });

// users.md 65: the hit path gives the text of the miss path, with a window of 16 and a prefill that is resumed.
TEST(FamilyCache, User65HitsGiveTheSameTextUnderAWindowOf16) {
  FamilyEngine settings;
  settings.scheduler.max_model_len = 2048;
  settings.scheduler.max_num_batched_tokens = 256;
  const auto warm = start_family(open(kSixteen), settings);
  settings.enable_prefix_caching = false;
  const auto cold = start_family(open(kSixteen), settings);
  const std::vector<int32_t> prompt = random_prompt(65, 1500);
  const Output expected = run(*cold, make_request(prompt, 20, 0.0f, 1));
  std::vector<std::future<Output>> four;
  for (int i = 0; i < 4; ++i) four.push_back(start(*warm, make_request(prompt, 20, 0.0f, 1)));
  for (auto& one : four) EXPECT_TRUE(one.get() == expected);
  const Output hit = run(*warm, make_request(prompt, 20, 0.0f, 1));
  EXPECT_TRUE(hit == expected);
  EXPECT_EQ(hit.num_cached_tokens, 1488);
  for (const int shared : {700, 1488, 1499}) {
    std::vector<int32_t> other(prompt.begin(), prompt.begin() + shared);
    const std::vector<int32_t> suffix = random_prompt(shared, 40);
    other.insert(other.end(), suffix.begin(), suffix.end());
    EXPECT_TRUE(run(*warm, make_request(other, 20, 0.0f, 1)) == run(*cold, make_request(other, 20, 0.0f, 1)))
        << shared << " tokens shared";
  }
}

// Pages that a window has passed are free for others while their request runs.
TEST(FamilyCache, PassedPagesServeOthers) {
  const auto preemptions = [](const Variant& v) {
    // 33 blocks; 8 requests of 20 + 300 tokens would hold 160, and hold 4 or 5 each under a window of 40.
    const auto engine = start_family(open(v), {.enable_prefix_caching = false, .num_blocks = 34});
    std::vector<Request> all;
    for (int i = 0; i < 8; ++i) {
      all.push_back(make_request(random_prompt(i, 20), 300, 0.9f, i));
      all.back().sampling.eos_token_ids.clear();
    }
    for (const Output& output : run_together(*engine, std::move(all))) EXPECT_EQ(output.tokens.size(), 300u);
    return engine->stats().num_preemptions;
  };
  EXPECT_EQ(preemptions(kWindow), 0u);
  EXPECT_GT(preemptions({"", "mistral", R"({"sliding_window": null})"}), 0u);
}

}  // namespace
}  // namespace ingot::testing
