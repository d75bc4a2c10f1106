// Layout and keys.
#include "ingot/cli/bench/report.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "ingot/cli/bench/statistics.h"

namespace ingot::cli {

namespace json = boost::json;

namespace {

struct LatencyName {
  const char* key;
  const char* title;
  const char* row;
};

constexpr LatencyName kLatencyNames[] = {{"ttft", "Time to First Token", "TTFT"},
                                         {"tpot", "Time per Output Token (excl. 1st token)", "TPOT"},
                                         {"itl", "Inter-token Latency", "ITL"},
                                         {"e2el", "End-to-end Latency", "E2EL"}};

bool is_named(const std::string& list, const std::string& name) {
  return (',' + list + ',').contains(',' + name + ',');
}

std::string latency_rows(const LatencySummary& latency, const LatencyName& name) {
  std::string rows = fmt::format("{:-^50}\n", name.title);
  rows += table_row(fmt::format("Mean {} (ms):", name.row), latency.mean);
  rows += table_row(fmt::format("Median {} (ms):", name.row), latency.median);
  for (const auto& [percent, value] : latency.percentiles)
    rows += table_row(fmt::format("P{} {} (ms):", percent_name(percent), name.row), value);
  return rows;
}

}  // namespace

std::string table_row(const std::string& name, double value) { return fmt::format("{:<40} {:<10.2f}\n", name, value); }
std::string table_row(const std::string& name, int64_t value) { return fmt::format("{:<40} {:<10}\n", name, value); }

std::string serving_table(const ServingMetrics& m, const TableOptions& options) {
  std::string table = fmt::format("{:=^50}\n", " Serving Benchmark Result ");
  table += table_row("Successful requests:", m.completed);
  table += table_row("Failed requests:", m.failed);
  if (options.max_concurrency) table += table_row("Maximum request concurrency:", int64_t{*options.max_concurrency});
  if (!std::isinf(options.request_rate)) table += table_row("Request rate configured (RPS):", options.request_rate);
  table += table_row("Benchmark duration (s):", m.duration_s);
  table += table_row("Total input tokens:", m.total_input_tokens);
  table += table_row("Total generated tokens:", m.total_output_tokens);
  table += table_row("Request throughput (req/s):", m.request_throughput);
  if (m.request_goodput) table += table_row("Request goodput (req/s):", *m.request_goodput);
  table += table_row("Output token throughput (tok/s):", m.output_throughput);
  table += table_row("Peak output token throughput (tok/s):", m.max_output_tokens_per_s);
  table += table_row("Peak concurrent requests:", m.max_concurrent_requests);
  table += table_row("Total token throughput (tok/s):", m.total_token_throughput);
  for (const LatencyName& name : kLatencyNames) {
    for (const LatencySummary& latency : m.latencies) {
      if (latency.name == name.key && is_named(options.latencies, latency.name)) table += latency_rows(latency, name);
    }
  }
  return table + std::string(50, '=') + '\n';
}

json::object serving_result(const ServingMetrics& m, const std::string& latencies) {
  json::object result = {
      {"duration", m.duration_s},
      {"completed", m.completed},
      {"failed", m.failed},
      {"total_input_tokens", m.total_input_tokens},
      {"total_output_tokens", m.total_output_tokens},
      {"request_throughput", m.request_throughput},
      {"request_goodput", m.request_goodput ? json::value(*m.request_goodput) : json::value(nullptr)},
      {"output_throughput", m.output_throughput},
      {"total_token_throughput", m.total_token_throughput},
      {"max_output_tokens_per_s", m.max_output_tokens_per_s},
      {"max_concurrent_requests", m.max_concurrent_requests}};
  for (const LatencySummary& latency : m.latencies) {
    if (!is_named(latencies, latency.name)) continue;
    result[fmt::format("mean_{}_ms", latency.name)] = latency.mean;
    result[fmt::format("median_{}_ms", latency.name)] = latency.median;
    result[fmt::format("std_{}_ms", latency.name)] = latency.std;
    for (const auto& [percent, value] : latency.percentiles)
      result[fmt::format("p{}_{}_ms", percent_name(percent), latency.name)] = value;
  }
  return result;
}

void add_details(json::object& result, std::span<const Outcome> outcomes) {
  json::array input_lens, output_lens, ttfts, itls, start_times, texts, errors;
  for (const Outcome& o : outcomes) {
    input_lens.push_back(o.prompt_tokens);
    output_lens.push_back(o.output_tokens);
    ttfts.push_back(o.first_s);
    itls.emplace_back(json::array(o.gaps_s.begin(), o.gaps_s.end()));
    start_times.push_back(o.start_s);
    texts.emplace_back(o.text);
    errors.emplace_back(o.error);
  }
  result["input_lens"] = std::move(input_lens);
  result["output_lens"] = std::move(output_lens);
  result["ttfts"] = std::move(ttfts);
  result["itls"] = std::move(itls);
  result["start_times"] = std::move(start_times);
  result["generated_texts"] = std::move(texts);
  result["errors"] = std::move(errors);
}

Status write_json(const std::string& path, const json::object& object) {
  std::error_code ec;
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ec);
  std::ofstream file(path, std::ios::binary);
  file << json::serialize(object) << '\n';
  file.close();
  if (!file) return fail(ErrorCode::kIo, fmt::format("cannot write {}", path));
  return {};
}

}  // namespace ingot::cli
