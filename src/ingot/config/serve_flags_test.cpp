// What the table makes of command lines, and that docs/flags.md is what the table says.
#include "ingot/config/serve_flags.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <boost/json.hpp>
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
  EXPECT_EQ(config_of({"--seed", "-1"}).source.seed, -1);
  EXPECT_THAT(error_of({"--seed", "-2"}).message, HasSubstr("-1"));
}

TEST(ServeFlags, DefaultsAreTheStructs) {
  const ServeConfig config = config_of({});
  EXPECT_EQ(config.host, "127.0.0.1");
  EXPECT_EQ(config.port, 8000);
  EXPECT_EQ(config.source.model, "");
  EXPECT_FALSE(config.source.max_model_len);
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
  EXPECT_EQ(config.source.model, "m.gguf");
  EXPECT_EQ(config.source.max_model_len, 1024);
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

// Environment variables that live as long as the test.
class ServeEnvironment : public testing::Test {
 protected:
  void set(const char* name, const char* value) {
    names_.push_back(name);
    ::setenv(name, value, 1);
  }
  void TearDown() override {
    for (const char* name : names_) ::unsetenv(name);
  }

 private:
  std::vector<const char*> names_;
};

TEST_F(ServeEnvironment, StandsBetweenCommandLineAndFile) {
  const std::string path = testing::TempDir() + "ingot_serve_environment_test.yaml";
  std::ofstream(path) << "port: 9000\nmax-num-seqs: 4\nblock-size: 64\napi-key: [f]\nlog-level: debug\n"
                         "access-log: false\nmodel: file.gguf\nserved-model-name: [f]\n";
  set("INGOT_MAX_NUM_SEQS", "5");
  set("INGOT_PORT", "9001");
  set("INGOT_API_KEY", "a b");
  set("INGOT_ENABLE_PREFIX_CACHING", "false");
  set("INGOT_HF_OVERRIDES", R"({"a": 1})");
  set("INGOT_SEED", "");
  const ServeConfig config = config_of({"m.gguf", "--port", "9002", "--config", path, "--served-model-name", "x"});
  EXPECT_EQ(config.port, 9002);
  EXPECT_EQ(config.scheduler.max_num_seqs, 5);
  EXPECT_EQ(config.cache.block_size, 64);
  EXPECT_THAT(config.api_keys, ElementsAre("a", "b"));
  EXPECT_THAT(config.served_model_names, ElementsAre("x"));
  EXPECT_FALSE(config.cache.enable_prefix_caching);
  EXPECT_FALSE(config.access_log);
  EXPECT_EQ(config.source.hf_overrides.at("a"), 1);
  EXPECT_EQ(config.source.model, "m.gguf");
  EXPECT_EQ(config_of({"--config", path, "--uvicorn-log-level", "error"}).log_level, "error");
  EXPECT_EQ(config_of({"--config", path, "--enable-prefix-caching"}).cache.enable_prefix_caching, true);
  EXPECT_EQ(config_of({"--config", path}).source.model, "file.gguf");
}

TEST_F(ServeEnvironment, KeyOfVllmYieldsToTheFlag) {
  set("VLLM_API_KEY", "secret");
  EXPECT_THAT(config_of({}).api_keys, ElementsAre("secret"));
  EXPECT_THAT(config_of({"--api-key", "mine"}).api_keys, ElementsAre("mine"));
}

TEST(ServeFlags, SourceOfTheModel) {
  const ModelSource source = config_of({"/models/x", "--load-format", "dummy", "--dtype=half", "--tokenizer", "/t",
                                        "--generation-config", "/g", "--chat-template", "{{ x }}", "--seed", "7"})
                                 .source;
  EXPECT_EQ(source.model, "/models/x");
  EXPECT_EQ(source.load_format, LoadFormat::kDummy);
  EXPECT_EQ(source.dtype, WeightDtype::kFloat16);
  EXPECT_EQ(source.tokenizer, "/t");
  EXPECT_EQ(source.generation_config, "/g");
  EXPECT_EQ(source.chat_template, "{{ x }}");
  EXPECT_EQ(source.seed, 7);
  EXPECT_EQ(config_of({}).source.dtype, WeightDtype::kAuto);
  EXPECT_EQ(config_of({}).source.generation_config, "auto");
}

TEST(ServeFlags, LengthMayBeLeftToTheMemory) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--max-model-len", "auto"}, {"--max-model-len", "-1"}, {"--max-model-len=-1"}}) {
    const ModelSource source = config_of(words).source;
    EXPECT_TRUE(source.fit_max_model_len);
    EXPECT_FALSE(source.max_model_len);
  }
  EXPECT_FALSE(config_of({"--max-model-len", "5"}).source.fit_max_model_len);
}

TEST(ServeFlags, ObjectsAreMergedFromTextsAndDottedNames) {
  const ServeConfig config =
      config_of({"--hf-overrides", R"({"a": {"b": 1, "c": [2]}})", "--hf_overrides.a.b", "2.5", "--hf-overrides.d=text",
                 "--default-chat-template-kwargs", R"({"enable_thinking": false})",
                 "--override-generation-config.max_new_tokens", "9"});
  EXPECT_EQ(config.source.hf_overrides, boost::json::parse(R"({"a": {"b": 2.5, "c": [2]}, "d": "text"})"));
  EXPECT_EQ(config.chat_template_kwargs, boost::json::parse(R"({"enable_thinking": false})"));
  EXPECT_EQ(config.source.generation_overrides, boost::json::parse(R"({"max_new_tokens": 9})"));
  for (const char* text : {"[1]", "{", "word", "{} {}"})
    EXPECT_THAT(error_of({"--hf-overrides", text}).message, HasSubstr("--hf-overrides")) << text;
}

TEST(ServeFlags, UnknownFlagsNameTheNearest) {
  const Error error = error_of({"--max-num-seq", "4"});
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("did you mean --max-num-seqs?"));
  EXPECT_THAT(error_of({"--frobnicate"}).message, HasSubstr("--help"));
}

TEST(ServeFlags, KnownButUnbuiltFlagsSaySo) {
  for (const char* flag : {"--tensor-parallel-size", "--quantization", "--revision", "--enable_lora", "-tp", "-q",
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

std::string help_of(const std::vector<std::string>& words) {
  const auto parsed = parse(words);
  return parsed ? std::get<HelpText>(*parsed).text : parsed.error().message;
}

TEST(ServeFlags, HelpTeaches) {
  const std::string text = help_of({"--help"});
  for (const char* part :
       {"Examples", "Scheduler", "--max-num-batched-tokens", "ingot serve --host 0.0.0.0", "--help=all"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_LT(std::ranges::count(text, '\n'), 50) << "fits a screen or so";
}

TEST(ServeFlags, HelpOfAPart) {
  const std::string all = help_of({"--help=all"}), scheduler = help_of({"--help=sched"});
  for (const char* flag : {"--max-num-seqs", "--watermark"}) {
    EXPECT_THAT(all, HasSubstr(flag));
    EXPECT_THAT(scheduler, HasSubstr(flag));
  }
  EXPECT_THAT(all, HasSubstr("--block-size"));
  EXPECT_THAT(scheduler, testing::Not(HasSubstr("--block-size")));
  for (const char* topic : {"--help=max-num-seqs", "--help=--max_num_seqs"}) {
    EXPECT_THAT(help_of({topic}), HasSubstr("Requests that run at once")) << topic;
    EXPECT_THAT(help_of({topic}), testing::Not(HasSubstr("--watermark"))) << topic;
  }
  EXPECT_THAT(error_of({"--help=nonsense"}).message, HasSubstr("Scheduler"));
  EXPECT_THAT(error_of({"--help="}).message, HasSubstr("Scheduler"));
}

// After a change of the table: make docs
TEST(ServeFlags, PageIsUpToDate) {
  std::ostringstream page;
  page << std::ifstream(INGOT_SOURCE_DIR "/docs/flags.md").rdbuf();
  EXPECT_EQ(page.str(), serve_flags_page());
}

}  // namespace
}  // namespace ingot
