// Names, counts, YAML files, near misses.
#include "ingot/config/arguments.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <numeric>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace ingot {
namespace {

bool is_flag(std::string_view argument) { return argument.starts_with("--") && argument.size() > 2; }

// A YAML value as JSON: scalars that JSON knows stay, others are texts.
boost::json::value to_json(const YAML::Node& node) {
  if (node.IsMap()) {
    boost::json::object object;
    for (const auto& entry : node) object[entry.first.as<std::string>()] = to_json(entry.second);
    return object;
  }
  if (node.IsSequence()) {
    boost::json::array array;
    for (const YAML::Node& item : node) array.push_back(to_json(item));
    return array;
  }
  if (node.IsNull()) return nullptr;
  const bool quoted = node.Tag() == "!";
  return quoted ? boost::json::value(node.Scalar()) : json_or_text(node.Scalar());
}

void append_flag(const std::string& name, const YAML::Node& value, std::vector<std::string>& arguments) {
  if (value.IsSequence()) {
    arguments.push_back("--" + name);
    for (const YAML::Node& item : value) arguments.push_back(item.as<std::string>());
  } else if (value.IsMap()) {
    arguments.push_back("--" + name + "=" + boost::json::serialize(to_json(value)));
  } else {
    arguments.push_back("--" + name + "=" + (value.IsNull() ? "true" : value.Scalar()));
  }
}

Result<std::vector<std::string>> read_config_file(const std::string& path) {
  if (!std::filesystem::exists(path))
    return fail(ErrorCode::kNotFound, fmt::format("--config: no file {}", path), "config");
  std::vector<std::string> arguments;
  try {
    const YAML::Node root = YAML::LoadFile(path);
    if (!root.IsMap())
      return fail(ErrorCode::kCorrupt, fmt::format("--config: {} is not a mapping of flags to values", path), "config");
    for (const auto& entry : root) append_flag(entry.first.as<std::string>(), entry.second, arguments);
  } catch (const YAML::Exception& e) {
    return fail(ErrorCode::kCorrupt, fmt::format("--config: {}: {}", path, e.what()), "config");
  }
  return normalise_flag_names(arguments);
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = std::exchange(row[j], std::min({change, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> normalise_flag_names(std::span<const std::string> arguments) {
  std::vector<std::string> result(arguments.begin(), arguments.end());
  for (std::string& argument : result) {
    if (!is_flag(argument)) continue;
    const size_t end = std::min(argument.find_first_of("=."), argument.size());
    std::replace(argument.begin(), argument.begin() + static_cast<ptrdiff_t>(end), '_', '-');
  }
  return result;
}

boost::json::value json_or_text(const std::string& text) {
  boost::json::error_code error;
  boost::json::value value = boost::json::parse(text, error);
  return error ? boost::json::value(text) : value;
}

Result<std::vector<std::string>> take_config_file(std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool joined = arguments[i].starts_with("--config=");
    if (arguments[i] != "--config" && !joined) continue;
    if (!joined && i + 1 == arguments.size())
      return fail(ErrorCode::kInvalidArgument, "--config needs a file", "config");
    const std::string path = joined ? arguments[i].substr(9) : arguments[i + 1];
    const auto first = arguments.begin() + static_cast<ptrdiff_t>(i);
    arguments.erase(first, first + (joined ? 1 : 2));
    return read_config_file(path);
  }
  return std::vector<std::string>{};
}

Result<int64_t> parse_count(std::string_view text) {
  static constexpr std::pair<char, int64_t> kUnits[] = {{'k', 1000},    {'K', 1 << 10},       {'m', 1'000'000},
                                                        {'M', 1 << 20}, {'g', 1'000'000'000}, {'G', 1 << 30}};
  int64_t unit = 1;
  std::string_view digits = text;
  for (const auto& [letter, factor] : kUnits) {
    if (text.empty() || text.back() != letter) continue;
    unit = factor;
    digits.remove_suffix(1);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const double count = value * static_cast<double>(unit);
  if (error != std::errc() || end != digits.data() + digits.size() || !(count >= 0) || count > 9e18 ||
      count != static_cast<double>(static_cast<int64_t>(count))) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("'{}' is not a count (examples: 2048, 1k = 1000, 1K = 1024)", text));
  }
  return static_cast<int64_t>(count);
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  size_t best_distance = 1 + word.size() / 3;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace ingot
