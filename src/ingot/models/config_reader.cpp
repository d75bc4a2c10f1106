// Numbers are read whatever their JSON type, as long as the value fits.
#include "ingot/models/config_reader.h"

#include <boost/system/error_code.hpp>
#include <fmt/format.h>

namespace ingot {

namespace json = boost::json;

namespace {

constexpr int kMaxDimension = 1 << 24;  // beyond any model; keeps products of two within int64

}  // namespace

const json::value* ConfigReader::find(std::string_view key) const {
  const json::value* value = object_.if_contains(key);
  return value && !value->is_null() ? value : nullptr;
}

int ConfigReader::number(std::string_view key, int least, std::optional<int> fallback) {
  const json::value* value = find(key);
  if (!value && fallback) return *fallback;
  if (!value) {
    fault(key, "is missing");
    return 1;
  }
  boost::system::error_code error;
  const auto number = value->to_number<int64_t>(error);
  if (!error && number >= least && number <= kMaxDimension) return static_cast<int>(number);
  fault(key, fmt::format("is {}, must be {} … {}", json::serialize(*value), least, kMaxDimension));
  return 1;
}

int ConfigReader::positive(std::string_view key, std::optional<int> fallback) { return number(key, 1, fallback); }
int ConfigReader::natural(std::string_view key, std::optional<int> fallback) { return number(key, 0, fallback); }

double ConfigReader::real_from(std::string_view key, const json::value& value, bool zero) {
  boost::system::error_code error;
  const auto number = value.to_number<double>(error);
  if (!error && (number > 0 || (zero && number == 0))) return number;
  fault(key, fmt::format("is {}, must be {}", json::serialize(value), zero ? "0 or above" : "a positive number"));
  return 1;
}

double ConfigReader::real(std::string_view key, std::optional<double> fallback) {
  const json::value* value = find(key);
  if (value) return real_from(key, *value, false);
  if (!fallback) fault(key, "is missing");
  return fallback.value_or(1);
}

double ConfigReader::real_or_zero(std::string_view key, double fallback) {
  const json::value* value = find(key);
  return value ? real_from(key, *value, true) : fallback;
}

std::vector<double> ConfigReader::reals(std::string_view key) {
  const json::value* value = find(key);
  if (!value || !value->is_array()) {
    fault(key, value ? "is no list" : "is missing");
    return {};
  }
  std::vector<double> numbers;
  for (const json::value& element : value->get_array()) numbers.push_back(real_from(key, element, false));
  return numbers;
}

bool ConfigReader::flag(std::string_view key, bool fallback) {
  const json::value* value = find(key);
  if (!value) return fallback;
  if (!value->is_bool()) fault(key, fmt::format("is {}, must be true or false", json::serialize(*value)));
  return value->is_bool() ? value->get_bool() : fallback;
}

std::string ConfigReader::text(std::string_view key, std::string_view fallback) {
  const json::value* value = find(key);
  if (!value) return std::string(fallback);
  if (!value->is_string()) fault(key, fmt::format("is {}, must be a text", json::serialize(*value)));
  return std::string(value->is_string() ? std::string_view(value->get_string()) : fallback);
}

std::vector<std::string> ConfigReader::texts(std::string_view key) {
  const json::value* value = find(key);
  std::vector<std::string> texts;
  if (!value) return texts;
  if (!value->is_array()) fault(key, "is no list");
  for (const json::value& element : value->is_array() ? value->get_array() : json::array()) {
    if (!element.is_string()) fault(key, fmt::format("holds {}, must hold texts", json::serialize(element)));
    texts.emplace_back(element.is_string() ? std::string_view(element.get_string()) : "");
  }
  return texts;
}

const json::object* ConfigReader::object(std::string_view key) {
  const json::value* value = find(key);
  if (value && !value->is_object()) fault(key, fmt::format("is {}, must be an object", json::serialize(*value)));
  return value && value->is_object() ? &value->get_object() : nullptr;
}

void ConfigReader::remember(Error error) {
  if (!error_) error_ = std::move(error);
}

void ConfigReader::fault(std::string_view key, std::string_view what) {
  remember({ErrorCode::kCorrupt, fmt::format("{}{} {}", where_, key, what), {}});
}

void ConfigReader::refuse(std::string_view key, std::string_view what) {
  remember({ErrorCode::kUnsupported, fmt::format("{}{} {}", where_, key, what), {}});
}

void ConfigReader::take(const ConfigReader& other) {
  if (other.error_) remember(*other.error_);
}

Status ConfigReader::status() const {
  if (error_) return std::unexpected(*error_);
  return {};
}

}  // namespace ingot
