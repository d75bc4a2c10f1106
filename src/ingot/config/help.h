// What --help says of a command, whole or in part.
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "ingot/base/result.h"

namespace ingot {

// The flags by group, names alone; all about them where there is one group.
std::string short_help(const CLI::App& app);

// About "all", a group (its name's beginning, in any case) or a flag ("max-num-seqs", "--max_num_seqs").
// Errors: kInvalidArgument, with the groups there are.
Result<std::string> help_about(const CLI::App& app, std::string_view topic);

}  // namespace ingot
