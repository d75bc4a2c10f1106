// `ingot bench latency` and `ingot bench throughput`.
#include <csignal>
#include <cstdio>
#include <numeric>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "ingot/base/log.h"
#include "ingot/cli/bench/bench.h"
#include "ingot/cli/bench/dataset_flags.h"
#include "ingot/cli/bench/engine_run.h"
#include "ingot/cli/bench/progress.h"
#include "ingot/cli/bench/report.h"
#include "ingot/cli/bench/statistics.h"
#include "ingot/cli/sampling_flags.h"
#include "ingot/config/command_line.h"
#include "ingot/config/serve_flags.h"

namespace ingot::cli {

namespace json = boost::json;

namespace {

constexpr const char* kBatch = "Batch";
constexpr const char* kResults = "Results";
constexpr int64_t kMaxTokens = 1 << 30;
constexpr double kLatencyPercents[] = {10, 25, 50, 75, 90, 99};

struct LatencyOptions {
  int32_t input_len = 32, output_len = 128, batch_size = 8, n = 1, num_iters_warmup = 10, num_iters = 30;
  std::string output_json;
  bool shows_progress = true;
  ServeConfig engine;
};

struct ThroughputOptions {
  DatasetFlags dataset;
  int32_t n = 1;
  bool async_engine = true, disable_detokenize = true;
  std::string backend = "vllm", output_json;
  bool shows_progress = true;
  ServeConfig engine;
};

int report_failure(const char* command, const Error& error, int code = 1) {
  fmt::print(stderr, "ingot bench {}: {}\n", command, error.message);
  return code;
}

// Stops the engine when the measurement is over.
struct Opened {
  LocalModel model;
  int32_t vocab_size = 0, max_model_len = 0;

  explicit Opened(LocalModel opened) : model(std::move(opened)) {
    const auto& defaults = model.service->model()->model.defaults;
    vocab_size = defaults.vocab_size;
    max_model_len = defaults.max_model_len;
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() { model.engine->stop(std::chrono::milliseconds(0)); }

  std::vector<int32_t> vocabulary() const {
    std::vector<int32_t> ids(static_cast<size_t>(vocab_size));
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
  }

  Status check_length(int64_t num_tokens) const {
    if (num_tokens <= max_model_len) return {};
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("prompt and output have {} tokens, the model takes {}", num_tokens, max_model_len));
  }
};

// Requests of one prompt differ by their seeds.
void add_requests(std::vector<Request>& requests, const std::vector<int32_t>& prompt, int32_t max_tokens, int32_t n) {
  for (int32_t i = 0; i < n; ++i) {
    requests.push_back(fixed_length_request(prompt, max_tokens));
    requests.back().sampling.seed = requests.size();
  }
}

void print_latencies(const std::vector<double>& seconds) {
  fmt::print("Avg latency: {:.6f} seconds\n", mean(seconds));
  for (const double percent : kLatencyPercents)
    fmt::print("{}% percentile latency: {:.6f} seconds\n", percent_name(percent), percentile(seconds, percent));
}

Status save_latencies(const std::string& path, const std::vector<double>& seconds) {
  if (path.empty()) return {};
  json::object percentiles;
  for (const double percent : kLatencyPercents) percentiles[percent_name(percent)] = percentile(seconds, percent);
  return write_json(path, {{"avg_latency", mean(seconds)},
                           {"latencies", json::array(seconds.begin(), seconds.end())},
                           {"percentiles", std::move(percentiles)}});
}

Result<std::vector<double>> measure_latency(const LatencyOptions& o, const Opened& opened) {
  if (const Status fits = opened.check_length(int64_t{o.input_len} + o.output_len); !fits)
    return std::unexpected(fits.error());
  const auto prompts = random_prompts({.path = {},
                                       .num_prompts = o.batch_size,
                                       .seed = static_cast<uint64_t>(o.engine.source.seed),
                                       .output_len = {},
                                       .random_input_len = o.input_len,
                                       .random_output_len = o.output_len},
                                      opened.vocabulary());
  std::vector<double> seconds;
  Progress progress("iterations", o.num_iters_warmup + o.num_iters, o.shows_progress);
  for (int i = 0; i < o.num_iters_warmup + o.num_iters; ++i) {
    std::vector<Request> requests;
    for (const Prompt& prompt : prompts) add_requests(requests, prompt.ids, o.output_len, o.n);
    const auto run = run_requests(*opened.model.engine, std::move(requests), [](int64_t) {});
    if (!run) return std::unexpected(run.error());
    if (i >= o.num_iters_warmup) seconds.push_back(run->seconds);
    progress.step();
  }
  return seconds;
}

struct Throughput {
  EngineRun run;
  int64_t num_requests = 0, prompt_tokens = 0;
};

Result<std::vector<Prompt>> make_prompts(const DatasetOptions& options, const Opened& opened) {
  if (options.name == "random") return random_prompts(options, opened.vocabulary());
  const auto tokenizer = opened.model.service->model()->model.tokenizer;
  const auto tokenise = [&tokenizer](std::string_view text) { return tokenizer->encode(text, true); };
  auto prompts = read_prompts(options, tokenise);
  if (!prompts) return prompts;
  for (Prompt& prompt : *prompts) prompt.ids = tokenise(prompt.text).value();
  return prompts;
}

Result<Throughput> measure_throughput(const ThroughputOptions& o, DatasetOptions dataset, const Opened& opened) {
  const auto prompts = make_prompts(dataset, opened);
  if (!prompts) return std::unexpected(prompts.error());
  Throughput result;
  std::vector<Request> requests;
  for (const Prompt& prompt : *prompts) {
    if (const Status fits = opened.check_length(static_cast<int64_t>(prompt.ids.size()) + prompt.max_tokens); !fits)
      return std::unexpected(fits.error());
    add_requests(requests, prompt.ids, prompt.max_tokens, o.n);
    result.prompt_tokens += static_cast<int64_t>(prompt.ids.size());
  }
  result.num_requests = static_cast<int64_t>(prompts->size());
  Progress progress("sequences", static_cast<int64_t>(requests.size()), o.shows_progress);
  auto run = run_requests(*opened.model.engine, std::move(requests), [&](int64_t ended) { progress.set(ended); });
  if (!run) return std::unexpected(run.error());
  progress.set(result.num_requests * o.n);
  result.run = *run;
  return result;
}

Status report_throughput(const Throughput& t, const std::string& path) {
  const double seconds = t.run.seconds;
  const int64_t total = t.prompt_tokens + t.run.output_tokens;
  const auto rate = [seconds](int64_t count) { return static_cast<double>(count) / seconds; };
  fmt::print("Throughput: {:.2f} requests/s, {:.2f} total tokens/s, {:.2f} output tokens/s\n", rate(t.num_requests),
             rate(total), rate(t.run.output_tokens));
  fmt::print("Total num prompt tokens:  {}\nTotal num output tokens:  {}\n", t.prompt_tokens, t.run.output_tokens);
  if (path.empty()) return {};
  return write_json(path, {{"elapsed_time", seconds},
                           {"num_requests", t.num_requests},
                           {"total_num_tokens", total},
                           {"requests_per_second", rate(t.num_requests)},
                           {"tokens_per_second", rate(total)}});
}

void add_latency_flags(CLI::App& app, LatencyOptions& o) {
  FlagTable t(app);
  t.count(kBatch, "--input-len", o.input_len, 1, kMaxTokens, "Tokens of each prompt");
  t.count(kBatch, "--output-len", o.output_len, 1, kMaxTokens, "Tokens of each output");
  t.count(kBatch, "--batch-size", o.batch_size, 1, 1 << 16, "Prompts of a batch");
  t.count(kBatch, "--n", o.n, 1, 1 << 10, "Outputs of each prompt");
  t.count(kBatch, "--num-iters-warmup", o.num_iters_warmup, 0, 1 << 20, "Batches before the measured ones");
  t.count(kBatch, "--num-iters", o.num_iters, 1, 1 << 20, "Measured batches");
  t.value(kResults, "--output-json", o.output_json, "File of the figures");
  t.flag(kResults, "--progress,!--disable-tqdm", o.shows_progress, "Show how far it is");
  add_engine_flags(app, o.engine);
}

void add_throughput_flags(CLI::App& app, ThroughputOptions& o) {
  FlagTable t(app);
  o.dataset.add(t, false);
  t.count("Prompts", "--n", o.n, 1, 1 << 10, "Outputs of each prompt");
  t.value(kResults, "--output-json", o.output_json, "File of the figures");
  t.flag(kResults, "--progress,!--disable-tqdm", o.shows_progress, "Show how far it is");
  t.choice(kResults, "--backend", o.backend, {"vllm", "vllm-chat"}, "Not used: the engine is Ingot's");
  t.flag(kResults, "--async-engine,!--no-async-engine", o.async_engine, "Not used: the engine always is");
  t.flag(kResults, "--disable-detokenize,!--no-disable-detokenize", o.disable_detokenize, "Not used: tokens stay ids");
  add_engine_flags(app, o.engine);
}

// The exit code where nothing is left to do after parsing.
std::optional<int> parse(const char* command, CLI::App& app, std::span<const std::string> arguments) {
  const auto help = parse_command_line(app, arguments);
  if (!help) return report_failure(command, help.error(), 2);
  if (!*help) return std::nullopt;
  fmt::print("{}", (*help)->text);
  return 0;
}

}  // namespace

int bench_latency(std::span<const std::string> arguments, const OpenLocalModel& open_model) {
  LatencyOptions o;
  o.engine.cache.enable_prefix_caching = false;
  CLI::App app("Measures the time that one batch takes, from its submission to its last token.", "ingot bench latency");
  add_latency_flags(app, o);
  app.footer("Example:\n  ingot bench latency --batch-size 1 --input-len 512 --output-len 1 --num-iters 10");
  if (const auto code = parse("latency", app, arguments)) return *code;
  log::init("warning");
  auto model = open_model(o.engine);
  if (!model) return report_failure("latency", model.error());
  const Opened opened(std::move(*model));
  const auto seconds = measure_latency(o, opened);
  if (!seconds) return report_failure("latency", seconds.error());
  print_latencies(*seconds);
  const Status saved = save_latencies(o.output_json, *seconds);
  return saved ? 0 : report_failure("latency", saved.error());
}

int bench_throughput(std::span<const std::string> arguments, const OpenLocalModel& open_model) {
  ThroughputOptions o;
  CLI::App app("Measures how fast the engine works off many requests that are all there from the start.",
               "ingot bench throughput");
  add_throughput_flags(app, o);
  app.footer("Example:\n  ingot bench throughput --num-prompts 64 --input-len 128 --output-len 64");
  if (const auto code = parse("throughput", app, arguments)) return *code;
  auto dataset = o.dataset.options();
  if (!dataset) return report_failure("throughput", dataset.error(), 2);
  dataset->seed = static_cast<uint64_t>(o.engine.source.seed);
  log::init("warning");
  auto model = open_model(o.engine);
  if (!model) return report_failure("throughput", model.error());
  const Opened opened(std::move(*model));
  const auto throughput = measure_throughput(o, *dataset, opened);
  if (!throughput) return report_failure("throughput", throughput.error());
  const Status saved = report_throughput(*throughput, o.output_json);
  return saved ? 0 : report_failure("throughput", saved.error());
}

}  // namespace ingot::cli
