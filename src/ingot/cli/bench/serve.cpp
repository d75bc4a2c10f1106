// `ingot bench serve`: asks the server what it serves, sends the load, reports.
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <set>
#include <thread>

#include <boost/json.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "ingot/base/clock.h"
#include "ingot/base/open_files.h"
#include "ingot/cli/bench/arrivals.h"
#include "ingot/cli/bench/bench.h"
#include "ingot/cli/bench/load.h"
#include "ingot/cli/bench/progress.h"
#include "ingot/cli/bench/report.h"
#include "ingot/cli/bench/serve_options.h"
#include "ingot/cli/reply_reader.h"

namespace ingot::cli {

namespace json = boost::json;

namespace {

Result<json::value> ask(const ServeBenchOptions& o, const char* method, const std::string& path, std::string body) {
  const auto reply = send_once(
      o.server, {.method = method, .path = o.server.path + path, .headers = o.headers, .body = std::move(body)});
  if (!reply) return std::unexpected(reply.error());
  if (reply->status != 200) return std::unexpected(read_refusal(reply->status, reply->body));
  boost::system::error_code ec;
  json::value value = json::parse(reply->body, ec);
  if (ec) return fail(ErrorCode::kCorrupt, fmt::format("{} answered {} with what is no JSON", o.server.text(), path));
  return value;
}

Result<std::string> find_model(const ServeBenchOptions& o) {
  if (!o.model.empty()) return o.model;
  const auto models = ask(o, "GET", "/v1/models", "");
  if (!models) return std::unexpected(models.error());
  boost::system::error_code ec;
  const json::value* id = models->find_pointer("/data/0/id", ec);
  if (!id || !id->is_string()) return fail(ErrorCode::kCorrupt, "the server names no model; pass --model");
  return std::string(id->get_string());
}

Result<std::vector<int32_t>> tokenise(const ServeBenchOptions& o, std::string_view text) {
  const auto reply = ask(o, "POST", "/tokenize", json::serialize(json::object{{"model", o.model}, {"prompt", text}}));
  if (!reply) return std::unexpected(reply.error());
  const json::object* object = reply->if_object();
  const json::value* tokens = object ? object->if_contains("tokens") : nullptr;
  if (!tokens) return fail(ErrorCode::kCorrupt, "the server's /tokenize names no tokens");
  auto ids = json::try_value_to<std::vector<int32_t>>(*tokens);
  if (!ids) return fail(ErrorCode::kCorrupt, "the server's /tokenize names no ids");
  return std::move(*ids);
}

// Ids of common words, each once: they are below any vocabulary and none of them is special.
std::vector<int32_t> word_ids(const ServeBenchOptions& o) {
  const auto ids = tokenise(o, common_words());
  if (ids) {
    const std::set<int32_t> once(ids->begin(), ids->end());
    return {once.begin(), once.end()};
  }
  fmt::print(stderr, "The server does not tokenize ({}): prompts are texts of so many words.\n", ids.error().message);
  return {};
}

Result<std::vector<Prompt>> make_prompts(const ServeBenchOptions& o) {
  if (o.dataset.name == "random") return random_prompts(o.dataset, o.chat ? std::vector<int32_t>() : word_ids(o));
  return read_prompts(o.dataset, [&o](std::string_view text) { return tokenise(o, text); });
}

std::string body_of(const ServeBenchOptions& o, const Prompt& prompt) {
  json::object body = {{"model", o.model}};
  if (o.chat) {
    json::array messages;
    messages.push_back(json::object{{"role", "user"}, {"content", prompt.text}});
    body["messages"] = std::move(messages);
    body["max_completion_tokens"] = prompt.max_tokens;
  } else {
    body["prompt"] = prompt.ids.empty() ? json::value(prompt.text) : json::array(prompt.ids.begin(), prompt.ids.end());
    body["max_tokens"] = prompt.max_tokens;
  }
  body["stream"] = true;
  body["stream_options"] = json::object{{"include_usage", true}};
  for (const auto& [key, value] : o.fields) body[key] = value;
  return json::serialize(body);
}

// Until the server answers a request well, or the time is over.
Status wait_until_ready(const ServeBenchOptions& o) {
  const TimePoint end = now() + std::chrono::seconds(o.ready_check_timeout_s);
  for (;;) {
    const auto models = ask(o, "GET", "/v1/models", "");
    if (models) return {};
    if (now() >= end) return std::unexpected(models.error());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

// One request before the others, so that a mistake shows at once and not a thousand times.
Status try_one(const ServeBenchOptions& o, const LoadOptions& load, const std::string& body) {
  const double at_once[] = {0};
  for (int i = 0; i < std::max(1, o.num_warmups); ++i) {
    const auto outcomes = run_load(load, std::span(&body, 1), at_once, [] {});
    if (!outcomes[0].ok()) return fail(ErrorCode::kUnavailable, "the first request failed: " + outcomes[0].error);
  }
  return {};
}

std::string result_path(const ServeBenchOptions& o, const std::string& date) {
  std::string name = o.result_filename;
  if (name.empty()) {
    name = fmt::format("{}-{}qps{}-{}-{}.json", o.label.empty() ? o.backend() : o.label, o.request_rate,
                       o.max_concurrency ? fmt::format("-concurrency{}", *o.max_concurrency) : "",
                       std::filesystem::path(o.model).filename().string(), date);
  }
  return (std::filesystem::path(o.result_dir) / name).string();
}

Status save(const ServeBenchOptions& o, const ServingMetrics& metrics, std::span<const Outcome> outcomes) {
  const std::string date = fmt::format("{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  json::object result = {{"date", date},
                         {"endpoint_type", o.backend()},
                         {"backend", o.backend()},
                         {"label", o.label.empty() ? json::value(nullptr) : json::value(o.label)},
                         {"model_id", o.model},
                         {"tokenizer_id", o.model},
                         {"num_prompts", o.dataset.num_prompts}};
  for (const auto& [key, value] : o.metadata) result[key] = value;
  result["request_rate"] = std::isinf(o.request_rate) ? json::value("inf") : json::value(o.request_rate);
  result["burstiness"] = o.burstiness;
  result["max_concurrency"] = o.max_concurrency ? json::value(*o.max_concurrency) : json::value(nullptr);
  for (const auto& [key, value] : serving_result(metrics, o.latencies)) result[key] = value;
  if (o.save_detailed) add_details(result, outcomes);
  return write_json(result_path(o, date), result);
}

void print_failures(std::span<const Outcome> outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (outcome.ok()) continue;
    fmt::print(stderr, "The first request that failed: {}\n", outcome.error);
    return;
  }
}

int report_failure(const Error& error) {
  fmt::print(stderr, "ingot bench serve: {}\n", error.message);
  return 1;
}

int measure(ServeBenchOptions& o) {
  raise_max_open_files();
  if (o.ready_check_timeout_s > 0) {
    if (const Status ready = wait_until_ready(o); !ready) return report_failure(ready.error());
  }
  auto model = find_model(o);
  if (!model) return report_failure(model.error());
  o.model = std::move(*model);
  const auto prompts = make_prompts(o);
  if (!prompts) return report_failure(prompts.error());
  std::vector<std::string> bodies;
  for (const Prompt& prompt : *prompts) bodies.push_back(body_of(o, prompt));

  const LoadOptions load{o.server, o.server.path + o.endpoint, o.headers, o.max_concurrency};
  if (const Status tried = try_one(o, load, bodies.front()); !tried) return report_failure(tried.error());
  const auto due_s = arrival_times(static_cast<int>(bodies.size()), o.request_rate, o.burstiness, o.dataset.seed);
  std::vector<Outcome> outcomes;
  const TimePoint start = now();
  {
    Progress progress("requests", static_cast<int64_t>(bodies.size()), o.shows_progress);
    outcomes = run_load(load, bodies, due_s, [&progress] { progress.step(); });
  }
  const double duration_s = seconds_between(start, now());
  const ServingMetrics metrics = summarise(outcomes, duration_s, o.percents, o.goals);
  fmt::print("{}", serving_table(metrics, {o.max_concurrency, o.request_rate, o.latencies}));
  print_failures(outcomes);
  if (o.save_result || o.save_detailed) {
    if (const Status saved = save(o, metrics, outcomes); !saved) return report_failure(saved.error());
  }
  return metrics.completed > 0 ? 0 : 1;
}

}  // namespace

int bench_serve(std::span<const std::string> arguments) {
  auto parsed = parse_serve_bench(arguments);
  if (!parsed) {
    fmt::print(stderr, "ingot bench serve: {}\n", parsed.error().message);
    return 2;
  }
  if (const auto* help = std::get_if<HelpText>(&*parsed)) {
    fmt::print("{}", help->text);
    return 0;
  }
  return measure(std::get<ServeBenchOptions>(*parsed));
}

}  // namespace ingot::cli
