// Sums over outcomes. A request that failed counts as failed and nowhere else.
#include "ingot/cli/bench/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ingot/cli/bench/statistics.h"

namespace ingot::cli {
namespace {

constexpr double kMs = 1e3;

// Time per output token after the first; 0 for a reply of one token.
double time_per_token_s(const Outcome& o) {
  return o.output_tokens > 1 ? (o.total_s - o.first_s) / static_cast<double>(o.output_tokens - 1) : 0;
}

LatencySummary summarise_latency(std::string name, std::vector<double> seconds, std::span<const double> percents) {
  for (double& value : seconds) value *= kMs;
  LatencySummary summary{
      .name = std::move(name), .mean = mean(seconds), .std = standard_deviation(seconds), .percentiles = {}};
  summary.median = percentile(seconds, 50);
  for (const double percent : percents) summary.percentiles.emplace_back(percent, percentile(seconds, percent));
  return summary;
}

bool meets(const Outcome& o, const Goals& goals) {
  return std::ranges::all_of(goals, [&](const auto& goal) {
    const auto& [name, limit_ms] = goal;
    const double s = name == "ttft" ? o.first_s : name == "tpot" ? time_per_token_s(o) : o.total_s;
    return s * kMs <= limit_ms;
  });
}

// By whole seconds since the first request.
void find_peaks(std::span<const Outcome* const> good, ServingMetrics& metrics) {
  double first = std::numeric_limits<double>::max(), last = 0;
  for (const Outcome* o : good) {
    first = std::min(first, o->start_s);
    last = std::max(last, o->start_s + o->total_s);
  }
  if (good.empty()) return;
  const auto num_seconds = static_cast<size_t>(std::ceil(last - first)) + 1;
  std::vector<double> tokens(num_seconds);
  std::vector<int64_t> requests(num_seconds);
  const auto second = [&](double time_s) {
    return std::min(static_cast<size_t>(std::max(time_s - first, 0.0)), num_seconds - 1);
  };
  for (const Outcome* o : good) {
    for (size_t s = second(o->start_s); s <= second(o->start_s + o->total_s); ++s) ++requests[s];
    // A piece may hold several tokens: they are spread evenly over the pieces.
    const double weight = static_cast<double>(o->output_tokens) / static_cast<double>(o->gaps_s.size() + 1);
    double time = o->start_s + o->first_s;
    tokens[second(time)] += weight;
    for (const double gap : o->gaps_s) tokens[second(time += gap)] += weight;
  }
  metrics.max_output_tokens_per_s = *std::ranges::max_element(tokens);
  metrics.max_concurrent_requests = *std::ranges::max_element(requests);
}

}  // namespace

Result<Goals> parse_goals(std::span<const std::string> pairs) {
  Goals goals;
  for (const std::string& pair : pairs) {
    const size_t colon = std::min(pair.find(':'), pair.size());
    const std::string name = pair.substr(0, colon);
    const std::string value = pair.substr(std::min(colon + 1, pair.size()));
    double limit_ms = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), limit_ms);
    const bool known = name == "ttft" || name == "tpot" || name == "e2el";
    if (!known || error != std::errc() || end != value.data() + value.size() || limit_ms < 0)
      return fail(
          ErrorCode::kInvalidArgument,
          fmt::format("--goodput: '{}' is not NAME:MILLISECONDS with ttft, tpot or e2el (example: ttft:200)", pair));
    goals[name] = limit_ms;
  }
  return goals;
}

ServingMetrics summarise(std::span<const Outcome> outcomes, double duration_s, std::span<const double> percents,
                         const Goals& goals) {
  ServingMetrics m{.duration_s = duration_s, .request_goodput = {}, .latencies = {}};
  std::vector<const Outcome*> good;
  std::vector<double> first, per_token, gaps, total;
  int64_t num_meeting = 0;
  for (const Outcome& o : outcomes) {
    if (!o.ok()) {
      ++m.failed;
      continue;
    }
    good.push_back(&o);
    m.total_input_tokens += o.prompt_tokens;
    m.total_output_tokens += o.output_tokens;
    first.push_back(o.first_s);
    if (o.output_tokens > 1) per_token.push_back(time_per_token_s(o));
    gaps.insert(gaps.end(), o.gaps_s.begin(), o.gaps_s.end());
    total.push_back(o.total_s);
    num_meeting += meets(o, goals);
  }
  m.completed = static_cast<int64_t>(good.size());
  const auto per_second = [&](int64_t count) { return duration_s > 0 ? static_cast<double>(count) / duration_s : 0; };
  m.request_throughput = per_second(m.completed);
  m.output_throughput = per_second(m.total_output_tokens);
  m.total_token_throughput = per_second(m.total_input_tokens + m.total_output_tokens);
  if (!goals.empty()) m.request_goodput = per_second(num_meeting);
  find_peaks(good, m);
  m.latencies = {
      summarise_latency("ttft", std::move(first), percents), summarise_latency("tpot", std::move(per_token), percents),
      summarise_latency("itl", std::move(gaps), percents), summarise_latency("e2el", std::move(total), percents)};
  return m;
}

}  // namespace ingot::cli
