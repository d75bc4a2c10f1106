// What the table makes of command lines, and that docs/flags.md is what the table says.
#include "ingot/config/serve_flags.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<std::variant<ServeConfig, HelpText>> parse(const std::vector<std::string>& words) {
  return parse_serve_flags(words);
}

ServeConfig config_of(const std::vector<std::string>& words) {
  const auto parsed = parse(words);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().message;
    return {};
  }
  return std::get<ServeConfig>(*parsed);
}

Error error_of(const std::vector<std::string>& words) {
  const auto parsed = parse(words);
  if (parsed) {
    ADD_FAILURE() << "accepted";
    return {};
  }
  return parsed.error();
}

TEST(ServeFlags, LogprobsModeAndSeed) {
  EXPECT_EQ(config_of({}).logprobs_mode, LogprobsMode::kRawLogprobs);
  EXPECT_EQ(config_of({"--logprobs-mode", "raw_logits"}).logprobs_mode, LogprobsMode::kRawLogits);
  EXPECT_EQ(config_of({"--logprobs-mode=processed_logits"}).logprobs_mode, LogprobsMode::kProcessedLogits);
  EXPECT_EQ(config_of({"--logprobs_mode", "processed_logprobs"}).logprobs_mode, LogprobsMode::kProcessedLogprobs);
  EXPECT_THAT(error_of({"--logprobs-mode", "raw"}).message, HasSubstr("processed_logits"));
  EXPECT_EQ(config_of({"--seed", "-1"}).seed, -1);
  EXPECT_THAT(error_of({"--seed", "-2"}).message, HasSubstr("-1"));
}

TEST(ServeFlags, DefaultsAreTheStructs) {
  const ServeConfig config = config_of({});
  EXPECT_EQ(config.host, "127.0.0.1");
  EXPECT_EQ(config.port, 8000);
  EXPECT_EQ(config.model, "");
  EXPECT_FALSE(config.max_model_len);
  EXPECT_EQ(config.scheduler.max_num_batched_tokens, 512);
  EXPECT_TRUE(config.cache.enable_prefix_caching);
}

TEST(ServeFlags, EachReachesItsField) {
  const ServeConfig config = config_of({"m.gguf",
                                        "--max_model_len",
                                        "1K",
                                        "--max-num-batched-tokens=2k",
                                        "--block_size",
                                        "32",
                                        "--scheduling-policy",
                                        "priority",
                                        "--kv-cache-memory-bytes",
                                        "2G",
                                        "--num-gpu-blocks-override",
                                        "100",
                                        "--gpu-memory-utilization",
                                        "0.5",
                                        "--no-enable-prefix-caching",
                                        "--shutdown-timeout",
                                        "5",
                                        "--max-num-queued-reqs",
                                        "7",
                                        "--port",
                                        "0",
                                        "--long-prefill-token-threshold",
                                        "64",
                                        "--uvicorn-log-level",
                                        "debug",
                                        "--no-enable-chunked-prefill"});
  EXPECT_EQ(config.model, "m.gguf");
  EXPECT_EQ(config.max_model_len, 1024);
  EXPECT_EQ(config.scheduler.max_num_batched_tokens, 2000);
  EXPECT_EQ(config.cache.block_size, 32);
  EXPECT_EQ(config.scheduler.policy, SchedulingPolicy::kPriority);
  EXPECT_EQ(config.kv_budget.memory_bytes, int64_t{2} << 30);
  EXPECT_EQ(config.kv_budget.num_blocks, 100);
  EXPECT_EQ(config.kv_budget.memory_utilization, 0.5);
  EXPECT_FALSE(config.cache.enable_prefix_caching);
  EXPECT_EQ(config.shutdown_timeout_s, 5);
  EXPECT_EQ(config.scheduler.max_num_queued_reqs, 7);
  EXPECT_EQ(config.port, 0);
  EXPECT_EQ(config.scheduler.long_prefill_token_threshold, 64);
  EXPECT_EQ(config.log_level, "debug");
  EXPECT_FALSE(config.scheduler.enable_chunked_prefill);
}

TEST(ServeFlags, ListsTakeSeveralValues) {
  const ServeConfig config = config_of({"--served-model-name", "a", "b", "--api-key", "x", "y", "--seed", "3"});
  EXPECT_THAT(config.served_model_names, ElementsAre("a", "b"));
  EXPECT_THAT(config.api_keys, ElementsAre("x", "y"));
}

TEST(ServeFlags, CommandLineWinsOverConfigFile) {
  const std::string path = testing::TempDir() + "ingot_serve_flags_test.yaml";
  std::ofstream(path) << "port: 9000\nmax-num-seqs: 4\n";
  const ServeConfig config = config_of({"--port", "9001", "--config", path});
  EXPECT_EQ(config.port, 9001);
  EXPECT_EQ(config.scheduler.max_num_seqs, 4);
}

TEST(ServeFlags, KeyFromTheEnvironmentYieldsToTheFlag) {
  setenv("VLLM_API_KEY", "secret", 1);
  EXPECT_THAT(config_of({}).api_keys, ElementsAre("secret"));
  EXPECT_THAT(config_of({"--api-key", "mine"}).api_keys, ElementsAre("mine"));
  unsetenv("VLLM_API_KEY");
}

TEST(ServeFlags, UnknownFlagsNameTheNearest) {
  const Error error = error_of({"--max-num-seq", "4"});
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("did you mean --max-num-seqs?"));
  EXPECT_THAT(error_of({"--frobnicate"}).message, HasSubstr("--help"));
}

TEST(ServeFlags, KnownButUnbuiltFlagsSaySo) {
  for (const char* flag : {"--tensor-parallel-size", "--quantization", "--chat-template", "--enable_lora", "-tp", "-q",
                           "--no-async-scheduling", "--speculative-config.method"}) {
    const Error error = error_of({flag, "2"});
    EXPECT_EQ(error.code, ErrorCode::kUnsupported) << flag << ": " << error.message;
  }
}

TEST(ServeFlags, BadValuesNameTheFlag) {
  for (const auto& [flag, value] : std::vector<std::pair<std::string, std::string>>{{"--max-model-len", "0"},
                                                                                    {"--max-num-seqs", "many"},
                                                                                    {"--port", "70000"},
                                                                                    {"--block-size", "17"},
                                                                                    {"--gpu-memory-utilization", "1.5"},
                                                                                    {"--scheduling-policy", "lifo"},
                                                                                    {"--max-num-batched-tokens", "-4"}})
    EXPECT_THAT(error_of({flag, value}).message, HasSubstr(flag.substr(2))) << value;
}

TEST(ServeFlags, HelpTeaches) {
  const auto parsed = parse({"--help"});
  ASSERT_TRUE(parsed);
  const std::string& text = std::get<HelpText>(*parsed).text;
  for (const char* part : {"Examples", "Scheduler", "--max-num-batched-tokens", "ingot serve --host 0.0.0.0"})
    EXPECT_THAT(text, HasSubstr(part));
}

// After a change of the table: make docs
TEST(ServeFlags, PageIsUpToDate) {
  std::ostringstream page;
  page << std::ifstream(INGOT_SOURCE_DIR "/docs/flags.md").rdbuf();
  EXPECT_EQ(page.str(), serve_flags_page());
}

}  // namespace
}  // namespace ingot
