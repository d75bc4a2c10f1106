// Arguments of one command → the variables that its flags fill, or the text that the user asked for.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <CLI/CLI.hpp>

#include "ingot/base/result.h"

namespace ingot {

// The user asked for a text (--help) and nothing else.
struct HelpText {
  std::string text;
};

// A command's flags are laid out by FlagFormatter, and "-" and "_" are equal in their names. Of a flag the command line
// counts; else the environment's INGOT_<NAME> (upper case, "_" for "-", values of a list apart by blanks); else the
// YAML file named by --config. --help is short where there are several groups of flags; --help=all, =GROUP and =FLAG
// say more. Errors: kInvalidArgument, naming the flag, what it takes, and the nearest known one; kUnsupported for a
// flag of vLLM that is not built yet.
Result<std::optional<HelpText>> parse_command_line(CLI::App& app, std::span<const std::string> arguments);

}  // namespace ingot
