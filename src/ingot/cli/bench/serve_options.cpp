// Rows, then what needs more than one of them.
#include "ingot/cli/bench/serve_options.h"

#include <charconv>
#include <cstdlib>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

namespace ingot::cli {
namespace {

constexpr const char* kServer = "Server";
constexpr const char* kLoad = "Load";
constexpr const char* kResults = "Results";

// As they were written; resolve() makes ServeBenchOptions of them.
struct Written {
  ServeBenchOptions options;
  DatasetFlags dataset;
  SamplingFlags sampling;
  std::string backend = "openai", host = "127.0.0.1", base_url, tokenizer, rate = "inf", percents = "99", extra_body;
  int32_t port = 8000, max_concurrency = 0;
  std::vector<std::string> headers, metadata;
  bool ignore_eos = false;
};

void add_server_flags(FlagTable& t, Written& w) {
  t.choice(kServer, "--backend", w.backend, {"openai", "openai-chat", "vllm"},
           "openai: completions, with prompts of token ids where the server can tokenize; openai-chat: chats");
  t.value(kServer, "--base-url", w.base_url, "http://HOST:PORT, in place of --host and --port");
  t.value(kServer, "--host", w.host, "Host");
  t.value(kServer, "--port", w.port, "Port")->check(within(1, 65535));
  t.value(kServer, "--endpoint", w.options.endpoint,
          "Path. Default: the backend's, /v1/completions or /v1/chat/completions");
  t.value(kServer, "--model", w.options.model, "Default: the first that the server names");
  t.value(kServer, "--tokenizer", w.tokenizer, "Not used: the server is asked for its own");
  t.list(kServer, "--header", w.headers, "KEY=VALUE", "Headers of every request");
  t.count(kServer, "--ready-check-timeout-sec", w.options.ready_check_timeout_s, 0, 1 << 20,
          "Seconds to wait for the server to answer; 0: it must be there");
}

void add_load_flags(FlagTable& t, Written& w) {
  t.value(kLoad, "--request-rate", w.rate, "Requests that are sent a second; inf: all at once");
  t.value(kLoad, "--burstiness", w.options.burstiness,
          "Of the gaps: 1 as of a Poisson process, below 1 in bursts, above 1 evener")
      ->check(within(1e-3, 1e6));
  t.count(kLoad, "--max-concurrency", w.max_concurrency, 0, 1 << 20, "Requests that are open at once; 0: no limit");
  t.count(kLoad, "--num-warmups", w.options.num_warmups, 0, 1 << 20, "Requests before the measurement");
  t.flag(kLoad, "--ignore-eos,!--no-ignore-eos", w.ignore_eos, "Outputs are as long as they may be");
  t.value(kLoad, "--extra-body", w.extra_body, "JSON object of further fields of every request");
}

void add_result_flags(FlagTable& t, Written& w) {
  ServeBenchOptions& o = w.options;
  t.value(kResults, "--percentile-metrics", o.latencies, "Latencies to report: ttft, tpot, itl, e2el, by commas");
  t.value(kResults, "--metric-percentiles", w.percents, "Percentiles to report, by commas");
  t.list(kResults, "--goodput", o.goodput, "NAME:MS",
         "Goals of a good request, for example ttft:200 tpot:50 e2el:5000");
  t.flag(kResults, "--save-result,!--no-save-result", o.save_result, "Write the figures to a JSON file");
  t.flag(kResults, "--save-detailed,!--no-save-detailed", o.save_detailed, "… with lists by request");
  t.value(kResults, "--result-dir", o.result_dir, "Folder of the file");
  t.value(kResults, "--result-filename", o.result_filename, "Its name. Default: made of backend, rate, model and date");
  t.value(kResults, "--label", o.label, "Stands in the result, and in the name in place of the backend");
  t.list(kResults, "--metadata", w.metadata, "KEY=VALUE", "Stand in the result");
  t.flag(kResults, "--progress,!--disable-tqdm", o.shows_progress, "Show how far it is");
}

std::unexpected<Error> wrong(const char* flag, const std::string& value, const char* wanted) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("{}: '{}' is not {}", flag, value, wanted), flag);
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Status resolve_server(Written& w) {
  ServeBenchOptions& o = w.options;
  const auto url = parse_url(w.base_url.empty() ? fmt::format("http://{}:{}", w.host, w.port) : w.base_url);
  if (!url) return std::unexpected(url.error());
  o.server = *url;
  o.chat = w.backend == "openai-chat";
  if (o.endpoint.empty()) o.endpoint = o.chat ? "/v1/chat/completions" : "/v1/completions";
  if (!o.endpoint.starts_with('/')) return wrong("--endpoint", o.endpoint, "a path, which begins with /");
  if (const char* key = std::getenv("OPENAI_API_KEY"); key && *key)
    o.headers.emplace_back("Authorization", std::string("Bearer ") + key);
  for (const std::string& header : w.headers) {
    const size_t equals = header.find('=');
    if (equals == std::string::npos || equals == 0 || header.find_first_of("\r\n") != std::string::npos)
      return wrong("--header", header, "KEY=VALUE");
    const std::string name = header.substr(0, equals);
    if (name == "Authorization")
      std::erase_if(o.headers, [](const auto& known) { return known.first == "Authorization"; });
    o.headers.emplace_back(name, header.substr(equals + 1));
  }
  return {};
}

Status resolve_load(Written& w) {
  ServeBenchOptions& o = w.options;
  auto dataset = w.dataset.options();
  if (!dataset) return std::unexpected(dataset.error());
  o.dataset = std::move(*dataset);
  const auto rate = w.rate == "inf" ? std::numeric_limits<double>::infinity() : parse_number(w.rate);
  if (!rate || !(*rate > 0)) return wrong("--request-rate", w.rate, "a number above 0, or inf");
  o.request_rate = *rate;
  if (w.max_concurrency > 0) o.max_concurrency = w.max_concurrency;
  o.fields = request_fields(w.sampling);
  if (!o.fields.contains("temperature")) o.fields["temperature"] = 0;
  if (w.ignore_eos) o.fields["ignore_eos"] = true;
  if (w.extra_body.empty()) return {};
  boost::system::error_code ec;
  const boost::json::value extra = boost::json::parse(w.extra_body, ec);
  if (ec || !extra.is_object()) return wrong("--extra-body", w.extra_body, "a JSON object");
  for (const auto& [key, value] : extra.get_object()) o.fields[key] = value;
  return {};
}

Status resolve_results(Written& w) {
  ServeBenchOptions& o = w.options;
  for (const std::string& name : split(o.latencies)) {
    if (name != "ttft" && name != "tpot" && name != "itl" && name != "e2el")
      return wrong("--percentile-metrics", name, "one of ttft, tpot, itl, e2el");
  }
  o.percents.clear();
  for (const std::string& text : split(w.percents)) {
    const auto percent = parse_number(text);
    if (!percent || *percent < 0 || *percent > 100)
      return wrong("--metric-percentiles", text, "a number from 0 to 100");
    o.percents.push_back(*percent);
  }
  auto goals = parse_goals(o.goodput);
  if (!goals) return std::unexpected(goals.error());
  o.goals = std::move(*goals);
  for (const std::string& pair : w.metadata) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) return wrong("--metadata", pair, "KEY=VALUE");
    o.metadata.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return {};
}

}  // namespace

Result<std::variant<ServeBenchOptions, HelpText>> parse_serve_bench(std::span<const std::string> arguments) {
  Written w;
  CLI::App app("Sends requests to a running server and measures throughput and latencies.", "ingot bench serve");
  FlagTable table(app);
  add_server_flags(table, w);
  w.dataset.add(table, true);
  add_load_flags(table, w);
  add_sampling_flags(table, w.sampling);
  app.get_option("--temperature")->default_str("0");
  add_result_flags(table, w);
  app.footer(
      "Examples:\n"
      "  ingot bench serve --num-prompts 100 --max-concurrency 16\n"
      "  ingot bench serve --random-input-len 512 --random-output-len 64 --request-rate 4 --ignore-eos\n"
      "  ingot bench serve --backend openai-chat --dataset-name sharegpt --dataset-path sharegpt.json\n"
      "  ingot bench serve --save-result --result-dir results --goodput ttft:200 tpot:50");
  auto help = parse_command_line(app, arguments);
  if (!help) return std::unexpected(help.error());
  if (*help) return std::move(**help);
  for (const auto resolve : {resolve_server, resolve_load, resolve_results}) {
    if (Status resolved = resolve(w); !resolved) return std::unexpected(resolved.error());
  }
  return std::move(w.options);
}

}  // namespace ingot::cli
