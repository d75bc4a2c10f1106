// The program: picks the command.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ingot/apps/metrics_page.h"
#include "ingot/apps/serve.h"
#include "ingot/apps/version.h"
#include "ingot/config/serve_flags.h"

namespace {

constexpr const char* kUsage =
    "Ingot serves language models on this machine.\n\n"
    "Usage: ingot COMMAND [flags]\n\n"
    "  serve        serve a model over the OpenAI API (ingot serve --help)\n"
    "  docs PAGE    print docs/flags.md or docs/metrics.md\n"
    "  --version    print the version\n";

int serve(const std::vector<std::string>& arguments) {
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

int run(const std::vector<std::string>& arguments) {
  const std::string command = arguments.empty() ? "" : arguments[0];
  if (command == "serve") return serve({arguments.begin() + 1, arguments.end()});
  if (command == "docs" && arguments.size() == 2 && arguments[1] == "flags") {
    fmt::print("{}", ingot::serve_flags_page());
    return 0;
  }
  if (command == "docs" && arguments.size() == 2 && arguments[1] == "metrics") {
    fmt::print("{}", ingot::metrics_page());
    return 0;
  }
  if (command == "--version") {
    fmt::print("ingot {}\n", ingot::kVersion);
    return 0;
  }
  const bool asked = command == "--help" || command == "-h";
  if (!asked && !command.empty()) fmt::print(stderr, "ingot: unknown command '{}'\n\n", command);
  fmt::print(asked ? stdout : stderr, "{}", kUsage);
  return asked ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    fmt::print(stderr, "ingot: {}\n", e.what());
    return 1;
  }
}
