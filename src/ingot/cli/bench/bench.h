// `ingot bench`: serve, latency, throughput, with the flags and result files of `vllm bench`.
#pragma once

#include <span>
#include <string>

#include "ingot/cli/local_model.h"

namespace ingot::cli {

// Exit codes: 0; 1 when nothing could be measured; 2 for wrong flags.
int run_bench(std::span<const std::string> arguments, const OpenLocalModel& open_model);

int bench_serve(std::span<const std::string> arguments);
int bench_latency(std::span<const std::string> arguments, const OpenLocalModel& open_model);
int bench_throughput(std::span<const std::string> arguments, const OpenLocalModel& open_model);

}  // namespace ingot::cli
