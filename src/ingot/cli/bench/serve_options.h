// The flags of `ingot bench serve`.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <boost/json/object.hpp>

#include "ingot/cli/bench/dataset_flags.h"
#include "ingot/cli/bench/metrics.h"
#include "ingot/cli/http_client.h"
#include "ingot/cli/sampling_flags.h"
#include "ingot/cli/url.h"
#include "ingot/config/command_line.h"

namespace ingot::cli {

struct ServeBenchOptions {
  // the server
  bool chat = false;  // --backend openai-chat
  Url server;
  std::string endpoint;  // path
  std::string model;     // "" = the first that is served
  Headers headers;       // the key's included
  int32_t ready_check_timeout_s = 0;

  // the load
  DatasetOptions dataset;
  double request_rate = std::numeric_limits<double>::infinity();
  double burstiness = 1.0;
  std::optional<int> max_concurrency;
  int num_warmups = 0;
  boost::json::object fields;  // of every request: sampling, ignore_eos, --extra-body

  // the results
  std::vector<std::string> goodput;
  Goals goals;
  std::string latencies = "ttft,tpot,itl";
  std::vector<double> percents = {99};
  bool save_result = false, save_detailed = false;
  std::string result_dir, result_filename, label;
  std::vector<std::pair<std::string, std::string>> metadata;
  bool shows_progress = true;

  const char* backend() const { return chat ? "openai-chat" : "openai"; }
};

Result<std::variant<ServeBenchOptions, HelpText>> parse_serve_bench(std::span<const std::string> arguments);

}  // namespace ingot::cli
