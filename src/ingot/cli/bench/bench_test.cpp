// Statistics against numpy, metrics of outcomes counted by hand, arrivals, prompts, flags.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/cli/bench/arrivals.h"
#include "ingot/cli/bench/metrics.h"
#include "ingot/cli/bench/prompts.h"
#include "ingot/cli/bench/report.h"
#include "ingot/cli/bench/serve_options.h"
#include "ingot/cli/bench/statistics.h"

namespace ingot::cli {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

void expect_close(double actual, double expected) { EXPECT_NEAR(actual, expected, 1e-12 * (1 + std::abs(expected))); }

TEST(Statistics, AsNumpy) {
  const json::value cases = json::parse(read(INGOT_SOURCE_DIR "/tests/golden/bench_statistics.json"));
  ASSERT_GE(cases.as_array().size(), 6u);
  for (const json::value& one : cases.as_array()) {
    const auto values = json::value_to<std::vector<double>>(one.at("values"));
    expect_close(mean(values), one.at("mean").to_number<double>());
    expect_close(standard_deviation(values), one.at("std").to_number<double>());
    for (const json::value& pair : one.at("percentiles").as_array())
      expect_close(percentile(values, pair.at(0).to_number<double>()), pair.at(1).to_number<double>());
  }
  EXPECT_EQ(mean({}) + standard_deviation({}) + percentile({}, 50), 0);
  EXPECT_EQ(percent_name(99), "99");
  EXPECT_EQ(percent_name(99.9), "99.9");
}

std::vector<Outcome> outcomes() {
  std::vector<Outcome> all(3);
  all[0] = {.error = "",
            .start_s = 10,
            .first_s = 0.1,
            .total_s = 0.5,
            .gaps_s = {0.2, 0.2},
            .prompt_tokens = 7,
            .output_tokens = 3,
            .text = "abc"};
  all[1] = {.error = "",
            .start_s = 10.2,
            .first_s = 0.3,
            .total_s = 0.3,
            .gaps_s = {},
            .prompt_tokens = 5,
            .output_tokens = 1,
            .text = "d"};
  all[2].error = "refused";
  return all;
}

TEST(Metrics, CountedByHand) {
  const double percents[] = {50, 99};
  const ServingMetrics m = summarise(outcomes(), 2.0, percents, {{"ttft", 200}, {"tpot", 250}});
  EXPECT_EQ(m.completed, 2);
  EXPECT_EQ(m.failed, 1);
  EXPECT_EQ(m.total_input_tokens, 12);
  EXPECT_EQ(m.total_output_tokens, 4);
  EXPECT_EQ(m.request_throughput, 1.0);
  EXPECT_EQ(m.output_throughput, 2.0);
  EXPECT_EQ(m.total_token_throughput, 8.0);
  EXPECT_EQ(m.request_goodput, 0.5) << "the second one's first token came after 300 ms";
  EXPECT_EQ(m.max_concurrent_requests, 2);
  EXPECT_EQ(m.max_output_tokens_per_s, 4.0);
  const json::object result = serving_result(m, "ttft,tpot,itl,e2el");
  EXPECT_DOUBLE_EQ(result.at("mean_ttft_ms").as_double(), 200);
  EXPECT_NEAR(result.at("mean_tpot_ms").as_double(), 200, 1e-9) << "a reply of one token has none";
  EXPECT_NEAR(result.at("mean_itl_ms").as_double(), 200, 1e-9);
  EXPECT_NEAR(result.at("mean_e2el_ms").as_double(), 400, 1e-9);
  EXPECT_NEAR(result.at("p99_ttft_ms").as_double(), 298, 1e-9);
  EXPECT_TRUE(result.contains("p50_itl_ms"));
  EXPECT_FALSE(serving_result(m, "ttft").contains("mean_itl_ms"));
}

TEST(Metrics, TableAndDetails) {
  const double percents[] = {99};
  const std::string table = serving_table(summarise(outcomes(), 2.0, percents, {}), {16, INFINITY, "ttft"});
  EXPECT_THAT(table, HasSubstr("============ Serving Benchmark Result ============\n"
                               "Successful requests:                     2         \n"));
  EXPECT_THAT(table, HasSubstr("Maximum request concurrency:             16        \n"));
  EXPECT_THAT(table, HasSubstr("---------------Time to First Token----------------\n"
                               "Mean TTFT (ms):                          200.00    \n"));
  EXPECT_THAT(table, ::testing::Not(HasSubstr("ITL")));
  EXPECT_THAT(table, ::testing::Not(HasSubstr("goodput")));
  json::object result;
  add_details(result, outcomes());
  EXPECT_EQ(json::serialize(result.at("output_lens")), "[3,1,0]");
  EXPECT_EQ(json::serialize(result.at("errors")), R"(["","","refused"])");
}

TEST(Metrics, Goals) {
  const std::vector<std::string> good = {"ttft:200", "e2el:5e3"};
  EXPECT_EQ(parse_goals(good).value(), (Goals{{"ttft", 200}, {"e2el", 5000}}));
  for (const char* bad : {"ttft", "ttft:", "ttft:x", "itl:5", "ttft:-1", ":5"}) {
    const std::vector<std::string> pairs = {bad};
    EXPECT_FALSE(parse_goals(pairs)) << bad;
  }
}

TEST(Arrivals, MeanRateShapeAndSeed) {
  EXPECT_THAT(arrival_times(3, INFINITY, 1, 0), ElementsAre(0, 0, 0));
  for (const double burstiness : {0.25, 1.0, 4.0}) {
    const auto times = arrival_times(20'000, 50, burstiness, 3);
    EXPECT_TRUE(std::ranges::is_sorted(times));
    EXPECT_NEAR(times.back(), 400, 1e-6);
    std::vector<double> gaps(times.size());
    std::adjacent_difference(times.begin(), times.end(), gaps.begin());
    const double spread = standard_deviation(gaps) / mean(gaps);
    EXPECT_NEAR(spread, 1 / std::sqrt(burstiness), 0.05 / std::sqrt(burstiness)) << "of a gamma distribution";
  }
  EXPECT_EQ(arrival_times(9, 5, 1, 1), arrival_times(9, 5, 1, 1));
  EXPECT_NE(arrival_times(9, 5, 1, 1), arrival_times(9, 5, 1, 2));
}

TEST(Prompts, RandomIdsOfThePoolWithASharedPrefix) {
  DatasetOptions options{
      .path = {}, .num_prompts = 50, .output_len = {}, .random_input_len = 20, .random_output_len = 10};
  options.random_range_ratio = 0.5;
  options.random_prefix_len = 8;
  const std::vector<int32_t> pool = {5, 7, 11, 13};
  const auto prompts = random_prompts(options, pool);
  ASSERT_EQ(prompts.size(), 50u);
  std::set<size_t> lengths;
  for (const Prompt& prompt : prompts) {
    EXPECT_EQ(prompt.num_tokens, static_cast<int32_t>(prompt.ids.size()));
    lengths.insert(prompt.ids.size() - 8);
    EXPECT_TRUE(prompt.max_tokens >= 5 && prompt.max_tokens <= 15);
    EXPECT_TRUE(std::equal(prompt.ids.begin(), prompt.ids.begin() + 8, prompts[0].ids.begin()));
    for (const int32_t id : prompt.ids) EXPECT_TRUE(std::ranges::count(pool, id));
  }
  EXPECT_TRUE(*lengths.begin() >= 10 && *lengths.rbegin() <= 30 && lengths.size() > 5);
  EXPECT_EQ(random_prompts(options, pool)[49].ids, prompts[49].ids) << "the same seed";
  options.seed = 1;
  EXPECT_NE(random_prompts(options, pool)[49].ids, prompts[49].ids);
  options.random_range_ratio = 0;
  const std::string text = random_prompts(options, {})[0].text;
  EXPECT_EQ(std::ranges::count(text, ' '), 27) << text;
}

// A token a word.
Result<std::vector<int32_t>> count_words(std::string_view text) {
  return std::vector<int32_t>(static_cast<size_t>(std::ranges::count(text, ' ')) + 1);
}

DatasetOptions file_options(const char* name, const std::string& text) {
  const std::string path = std::filesystem::path(::testing::TempDir()) / "dataset";
  std::ofstream(path) << text;
  return {.name = name, .path = path, .num_prompts = 3, .output_len = {}};
}

TEST(Prompts, Custom) {
  auto options = file_options("custom", "{\"prompt\": \"a b\", \"output_tokens\": 9}\n\n{\"prompt\": \"c\"}\n");
  const auto prompts = read_prompts(options, count_words).value();
  ASSERT_EQ(prompts.size(), 3u) << "two, and the first again";
  EXPECT_EQ(prompts[0].text + "|" + prompts[1].text + "|" + prompts[2].text, "a b|c|a b");
  EXPECT_EQ(prompts[0].num_tokens, 2);
  EXPECT_EQ(prompts[0].max_tokens, 9);
  EXPECT_EQ(prompts[1].max_tokens, 256);
  options.output_len = 4;
  EXPECT_EQ(read_prompts(options, count_words).value()[0].max_tokens, 4);
  EXPECT_THAT(read_prompts(file_options("custom", "{\"prompt\": \"a\"}\nx\n"), count_words).error().message,
              HasSubstr(":2:"));
  EXPECT_FALSE(read_prompts(file_options("custom", ""), count_words));
}

TEST(Prompts, ShareGptTakesTheFirstTwoTurnsOfBearableLength) {
  std::string long_text;
  for (int i = 0; i < 1100; ++i) long_text += "w ";
  const std::string text = R"([
    {"conversations": [{"from": "human", "value": "one two three four five"}, {"from": "gpt", "value": "a b c d"}]},
    {"conversations": [{"value": "too short"}, {"value": "a b c d"}]},
    {"conversations": [{"value": ")" +
                           long_text + R"("}, {"value": "a b c d"}]},
    {"conversations": [{"value": "no answer to this one"}]},
    {"id": 1}])";
  const auto prompts = read_prompts(file_options("sharegpt", text), count_words).value();
  ASSERT_EQ(prompts.size(), 3u);
  for (const Prompt& prompt : prompts) {
    EXPECT_EQ(prompt.text, "one two three four five");
    EXPECT_EQ(prompt.num_tokens, 5);
    EXPECT_EQ(prompt.max_tokens, 4);
  }
}

auto parse(std::vector<std::string> arguments) { return parse_serve_bench(arguments); }
ServeBenchOptions options(std::vector<std::string> arguments) {
  return std::get<ServeBenchOptions>(parse(std::move(arguments)).value());
}

TEST(ServeBenchFlags, DefaultsAndEveryKind) {
  const ServeBenchOptions d = options({});
  EXPECT_EQ(d.server.text() + d.endpoint, "http://127.0.0.1:8000/v1/completions");
  EXPECT_TRUE(std::isinf(d.request_rate));
  EXPECT_EQ(d.dataset.num_prompts, 1000);
  EXPECT_EQ(d.dataset.random_input_len, 1024);
  EXPECT_EQ(json::serialize(d.fields), R"({"temperature":0})");
  EXPECT_FALSE(d.max_concurrency);

  const ServeBenchOptions o = options({"--backend",
                                       "openai-chat",
                                       "--base-url",
                                       "http://h:1",
                                       "--input-len",
                                       "9",
                                       "--output-len",
                                       "8",
                                       "--request-rate",
                                       "2.5",
                                       "--max-concurrency",
                                       "4",
                                       "--ignore-eos",
                                       "--extra-body",
                                       "{\"n\": 1}",
                                       "--header",
                                       "X-A=b=c",
                                       "--metadata",
                                       "gpu=none",
                                       "--metric-percentiles",
                                       "50,99.9",
                                       "--goodput",
                                       "ttft:1",
                                       "tpot:2",
                                       "--save-detailed",
                                       "--top_k",
                                       "3"});
  EXPECT_EQ(o.server.text() + o.endpoint, "http://h:1/v1/chat/completions");
  EXPECT_EQ(o.dataset.random_input_len, 9);
  EXPECT_EQ(o.dataset.random_output_len, 8);
  EXPECT_EQ(o.request_rate, 2.5);
  EXPECT_EQ(o.max_concurrency, 4);
  EXPECT_EQ(json::serialize(o.fields), R"({"top_k":3,"temperature":0,"ignore_eos":true,"n":1})");
  EXPECT_EQ(o.headers.back(), (std::pair<std::string, std::string>("X-A", "b=c")));
  EXPECT_THAT(o.percents, ElementsAre(50, 99.9));
  EXPECT_EQ(o.goals.size(), 2u);
}

TEST(ServeBenchFlags, WhatIsWrongIsSaid) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"--request-rate", "0"}, "--request-rate"},
      {{"--request-rate", "fast"}, "--request-rate"},
      {{"--extra-body", "[]"}, "JSON object"},
      {{"--header", "no-value"}, "KEY=VALUE"},
      {{"--metric-percentiles", "50,101"}, "0 to 100"},
      {{"--percentile-metrics", "ttfs"}, "ttft"},
      {{"--goodput", "itl:5"}, "--goodput"},
      {{"--dataset-name", "sharegpt"}, "--dataset-path"},
      {{"--num-promts", "5"}, "did you mean --num-prompts?"},
      {{"--base-url", "localhost"}, "http://"}};
  for (const auto& [arguments, reason] : cases) {
    const auto parsed = parse(arguments);
    ASSERT_FALSE(parsed) << reason;
    EXPECT_THAT(parsed.error().message, HasSubstr(reason));
  }
}

}  // namespace
}  // namespace ingot::cli
