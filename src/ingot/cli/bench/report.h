// The figures for people, and as JSON, in the form of `vllm bench`.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <boost/json/object.hpp>

#include "ingot/base/result.h"
#include "ingot/cli/bench/metrics.h"

namespace ingot::cli {

struct TableOptions {
  std::optional<int> max_concurrency;
  double request_rate = 0;  // infinity: not shown
  std::string latencies = "ttft,tpot,itl";
};

std::string serving_table(const ServingMetrics& metrics, const TableOptions& options);

// duration, completed, …, mean_ttft_ms, …; only the latencies that are named.
boost::json::object serving_result(const ServingMetrics& metrics, const std::string& latencies);

// Lists by request: input_lens, output_lens, ttfts, itls, start_times, generated_texts, errors.
void add_details(boost::json::object& result, std::span<const Outcome> outcomes);

// One row "Name:        value" of a table.
std::string table_row(const std::string& name, double value);
std::string table_row(const std::string& name, int64_t value);

// Errors: kIo, naming the file. Folders are made.
Status write_json(const std::string& path, const boost::json::object& object);

}  // namespace ingot::cli
