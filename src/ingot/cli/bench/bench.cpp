// The table of benchmarks.
#include "ingot/cli/bench/bench.h"

#include "ingot/cli/command_table.h"

namespace ingot::cli {

int run_bench(std::span<const std::string> arguments, const OpenLocalModel& open_model) {
  using Arguments = std::span<const std::string>;
  const CommandTable table = {
      .program = "ingot bench",
      .description =
          "Measures a server, or the engine in this process, with the flags and result files of `vllm bench`.",
      .commands = {{"serve", "A running server", "load from many clients: throughput and latencies", bench_serve},
                   {"latency", "In this process", "time of one batch, again and again",
                    [&](Arguments rest) { return bench_latency(rest, open_model); }},
                   {"throughput", "In this process", "time of many requests that are all there from the start",
                    [&](Arguments rest) { return bench_throughput(rest, open_model); }}},
      .examples =
          "Examples:\n"
          "  ingot bench serve --num-prompts 100 --random-input-len 256 --max-concurrency 16\n"
          "  ingot bench latency --batch-size 1 --input-len 512 --output-len 1\n"
          "  ingot bench throughput --num-prompts 64 --input-len 128 --output-len 64"};
  return run_command(table, arguments);
}

}  // namespace ingot::cli
