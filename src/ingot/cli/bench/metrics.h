// The figures of a serving benchmark, under the names that `vllm bench serve` gives them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ingot/base/result.h"
#include "ingot/cli/bench/outcome.h"

namespace ingot::cli {

// One latency over all requests, milliseconds.
struct LatencySummary {
  std::string name;  // "ttft", "tpot", "itl", "e2el"
  double mean = 0, median = 0, std = 0;
  std::vector<std::pair<double, double>> percentiles;  // percent, value
};

struct ServingMetrics {
  double duration_s = 0;
  int64_t completed = 0, failed = 0;
  int64_t total_input_tokens = 0, total_output_tokens = 0;
  double request_throughput = 0, output_throughput = 0, total_token_throughput = 0;  // per second
  std::optional<double> request_goodput;  // requests per second that met every goal
  double max_output_tokens_per_s = 0;     // of any whole second
  int64_t max_concurrent_requests = 0;    // likewise
  std::vector<LatencySummary> latencies;  // ttft, tpot, itl, e2el
};

// Goals of --goodput: name of a latency → milliseconds.
using Goals = std::map<std::string, double>;

// "ttft:200". Errors: kInvalidArgument with the known names.
Result<Goals> parse_goals(std::span<const std::string> pairs);

ServingMetrics summarise(std::span<const Outcome> outcomes, double duration_s, std::span<const double> percents,
                         const Goals& goals);

}  // namespace ingot::cli
