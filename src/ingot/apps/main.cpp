// The program: its commands.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ingot/apps/local_model.h"
#include "ingot/apps/metrics_page.h"
#include "ingot/apps/serve.h"
#include "ingot/apps/version.h"
#include "ingot/cli/bench/bench.h"
#include "ingot/cli/client.h"
#include "ingot/cli/collect_env.h"
#include "ingot/cli/command_table.h"
#include "ingot/config/serve_flags.h"
#include "ingot/ops/cpu/isa.h"
#include "ingot/tensor/mlx_version.h"

namespace {

using Arguments = std::span<const std::string>;

int serve(Arguments arguments) {
  auto parsed = ingot::parse_serve_flags(arguments);
  if (!parsed) {
    fmt::print(stderr, "ingot serve: {}\n", parsed.error().message);
    return 2;
  }
  if (const auto* help = std::get_if<ingot::HelpText>(&*parsed)) {
    fmt::print("{}", help->text);
    return 0;
  }
  return ingot::run_serve(std::get<ingot::ServeConfig>(*parsed));
}

int docs(Arguments arguments) {
  const std::string page = arguments.size() == 1 ? arguments[0] : "";
  if (page == "flags") {
    fmt::print("{}", ingot::serve_flags_page());
  } else if (page == "metrics") {
    fmt::print("{}", ingot::metrics_page());
  } else {
    fmt::print(stderr, "Usage: ingot docs flags|metrics   (prints docs/flags.md or docs/metrics.md)\n");
    return 2;
  }
  return 0;
}

int version(Arguments) {
  fmt::print("ingot {}\n", ingot::kVersion);
  return 0;
}

int collect_env(Arguments arguments) {
  const auto mlx = ingot::check_mlx_version();
  return ingot::cli::run_collect_env(arguments, {{"Version", ingot::kVersion},
                                                 {"Compiler", INGOT_COMPILER},
                                                 {"Build", INGOT_BUILD},
                                                 {"MLX", mlx ? INGOT_MLX_VERSION : mlx.error().message},
                                                 {"Back end", INGOT_BACKEND},
                                                 {"Kernels", std::string(ingot::cpu::isa_name(ingot::cpu::isa()))}});
}

ingot::cli::CommandTable commands() {
  namespace cli = ingot::cli;
  const auto chat = [](Arguments arguments) { return cli::run_chat(arguments, ingot::open_local_model); };
  const auto complete = [](Arguments arguments) { return cli::run_complete(arguments, ingot::open_local_model); };
  const auto bench = [](Arguments arguments) { return cli::run_bench(arguments, ingot::open_local_model); };
  return {
      .program = "ingot",
      .description = "Ingot serves language models on this machine.",
      .commands = {{"serve", "Serve", "serve a model over the OpenAI API", serve},
                   {"chat", "Use", "chat with a model, behind a server or in this process", chat},
                   {"complete", "Use", "let a model go on with a text", complete},
                   {"bench", "Measure", "load on a server, latency and throughput of the engine", bench},
                   {"collect-env", "About", "what a report of a fault should say about machine and build", collect_env},
                   {"--version", "About", "print the version", version},
                   {"docs", "", "", docs}},
      .examples =
          "Examples:\n"
          "  ingot serve                          the default model on 127.0.0.1:8000\n"
          "  ingot chat                           talk with that server\n"
          "  ingot chat --local -q 'Hello!'       one reply, without a server\n"
          "  ingot bench serve --num-prompts 100   load that server"};
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return ingot::cli::run_command(commands(), std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& e) {
    fmt::print(stderr, "ingot: {}\n", e.what());
    return 1;
  }
}
