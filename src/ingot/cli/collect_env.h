// `ingot collect-env`: what a report of a fault should say about the machine and the build.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ingot::cli {

// What only the program knows: name and value, in the order of the report.
using BuildFacts = std::vector<std::pair<std::string, std::string>>;

// NAME=VALUE of the environment that could change what Ingot does, by name; the values of keys and tokens are not
// shown.
std::vector<std::string> relevant_environment(std::span<const std::string> environment);

int run_collect_env(std::span<const std::string> arguments, const BuildFacts& facts);

}  // namespace ingot::cli
