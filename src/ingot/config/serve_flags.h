// The flags of `ingot serve`: one table that parses, explains itself in --help and fills the documentation page.
#pragma once

#include <span>
#include <string>
#include <variant>

#include <CLI/CLI.hpp>

#include "ingot/base/result.h"
#include "ingot/config/command_line.h"
#include "ingot/config/serve_config.h"

namespace ingot {

// Arguments after `serve`. "-" and "_" are equal in flag names; a YAML file named by --config comes first, so that
// flags win. Errors: kInvalidArgument, naming the flag, what it takes, and the nearest known one.
Result<std::variant<ServeConfig, HelpText>> parse_serve_flags(std::span<const std::string> arguments);

// The rows of model, cache and scheduler: what another command takes that opens a model itself.
void add_engine_flags(CLI::App& app, ServeConfig& config);

// docs/flags.md
std::string serve_flags_page();

}  // namespace ingot
