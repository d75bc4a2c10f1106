// A program's commands: what --help shows and how one is picked.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ingot::cli {

struct Command {
  std::string name, group, summary;  // group "": not shown
  std::function<int(std::span<const std::string> arguments)> run;
};

struct CommandTable {
  std::string program;      // "ingot bench"
  std::string description;  // one sentence or a few
  std::vector<Command> commands;
  std::string examples;
};

std::string help_text(const CommandTable& table);

// Runs the command that the first argument names with the rest of them. Exit code 2, with the nearest name on standard
// error, where there is no such command; --help, -h and `help` show the text; `help COMMAND` is `COMMAND --help`.
int run_command(const CommandTable& table, std::span<const std::string> arguments);

}  // namespace ingot::cli
