// Picks and explains.
#include "ingot/cli/command_table.h"

#include <cstdio>

#include <fmt/format.h>

#include "ingot/config/arguments.h"

namespace ingot::cli {
namespace {

const Command* find(const CommandTable& table, const std::string& name) {
  for (const Command& command : table.commands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

int refuse(const CommandTable& table, const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : table.commands) names.push_back(command.name);
  const std::string near = nearest(name, names);
  fmt::print(stderr, "{}: unknown command '{}'{}\n", table.program, name,
             near.empty() ? fmt::format("; {} --help lists them", table.program)
                          : fmt::format("; did you mean '{} {}'?", table.program, near));
  return 2;
}

}  // namespace

std::string help_text(const CommandTable& table) {
  std::string text = fmt::format("{}\n\nUsage: {} COMMAND [flags]\n", table.description, table.program);
  std::string group;
  for (const Command& command : table.commands) {
    if (command.group.empty()) continue;
    if (command.group != group) text += fmt::format("\n{}:\n", command.group);
    group = command.group;
    text += fmt::format("  {:<13} {}\n", command.name, command.summary);
  }
  return text + fmt::format("\n`{} COMMAND --help` explains a command's flags.\n\n{}\n", table.program, table.examples);
}

int run_command(const CommandTable& table, std::span<const std::string> arguments) {
  if (arguments.empty()) {
    fmt::print(stderr, "{}", help_text(table));
    return 2;
  }
  const std::string& name = arguments[0];
  const bool asks_help = name == "help";
  if (name == "--help" || name == "-h" || (asks_help && arguments.size() == 1)) {
    fmt::print("{}", help_text(table));
    return 0;
  }
  const Command* command = find(table, asks_help ? arguments[1] : name);
  if (!command) return refuse(table, asks_help ? arguments[1] : name);
  if (!asks_help) return command->run(arguments.subspan(1));
  const std::vector<std::string> help = {"--help"};
  return command->run(help);
}

}  // namespace ingot::cli
