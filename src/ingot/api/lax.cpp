// Coercions follow https://docs.pydantic.dev/latest/concepts/conversion_table/ (JSON input, lax).
#include "ingot/api/lax.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include <boost/json/array.hpp>

namespace ingot::api {
namespace {

namespace json = boost::json;

constexpr LaxFailure kTooLarge{"less_than_equal", "Input should be less than or equal to 9223372036854775807"};
constexpr LaxFailure kTooSmall{"greater_than_equal", "Input should be greater than or equal to -9223372036854775808"};
constexpr LaxFailure kFraction{"int_from_float",
                               "Input should be a valid integer, got a number with a fractional part"};
constexpr LaxFailure kIntText{"int_parsing", "Input should be a valid integer, unable to parse string as an integer"};
constexpr LaxFailure kNumberText{"float_parsing", "Input should be a valid number, unable to parse string as a number"};
constexpr LaxFailure kBoolType{"bool_type", "Input should be a valid boolean"};
constexpr LaxFailure kBoolText{"bool_parsing", "Input should be a valid boolean, unable to interpret input"};

Lax<int64_t> integer_of(double number) {
  if (!std::isfinite(number)) return std::unexpected(LaxFailure{"finite_number", "Input should be a finite number"});
  if (number != std::trunc(number)) return std::unexpected(kFraction);
  if (number >= 0x1p63) return std::unexpected(kTooLarge);
  if (number < -0x1p63) return std::unexpected(kTooSmall);
  return static_cast<int64_t>(number);
}

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)); };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

Lax<int64_t> integer_of(std::string_view raw) {
  std::string_view text = trimmed(raw);
  const size_t point = text.find('.');  // "5.0" is an integer; "5.5", "5." and ".0" are not
  if (point != text.npos && point > 0 && point + 1 < text.size() &&
      text.find_first_not_of('0', point + 1) == text.npos) {
    text = text.substr(0, point);
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (error == std::errc::result_out_of_range && end == text.end()) {
    return std::unexpected(text.starts_with('-') ? kTooSmall : kTooLarge);
  }
  if (error != std::errc() || end != text.end()) return std::unexpected(kIntText);
  return number;
}

std::optional<bool> boolean_of(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* word : {"1", "on", "t", "true", "y", "yes"}) {
    if (lower == word) return true;
  }
  for (const char* word : {"0", "off", "f", "false", "n", "no"}) {
    if (lower == word) return false;
  }
  return std::nullopt;
}

}  // namespace

Lax<int64_t> lax_integer(const json::value& value) {
  switch (value.kind()) {
    case json::kind::int64:
      return value.get_int64();
    case json::kind::uint64:
      return std::unexpected(kTooLarge);  // the parser keeps what fits as int64
    case json::kind::double_:
      return integer_of(value.get_double());
    case json::kind::bool_:
      return value.get_bool() ? 1 : 0;
    case json::kind::string:
      return integer_of(std::string_view(value.get_string()));
    default:
      return std::unexpected(LaxFailure{"int_type", "Input should be a valid integer"});
  }
}

Lax<double> lax_number(const json::value& value) {
  switch (value.kind()) {
    case json::kind::int64:
      return static_cast<double>(value.get_int64());
    case json::kind::uint64:
      return static_cast<double>(value.get_uint64());
    case json::kind::double_:
      return value.get_double();
    case json::kind::bool_:
      return value.get_bool() ? 1.0 : 0.0;
    case json::kind::string:
      break;
    default:
      return std::unexpected(LaxFailure{"float_type", "Input should be a valid number"});
  }
  const std::string_view text = trimmed(value.get_string());
  double number = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc() || end != text.end()) return std::unexpected(kNumberText);
  return number;
}

Lax<bool> lax_boolean(const json::value& value) {
  switch (value.kind()) {
    case json::kind::bool_:
      return value.get_bool();
    case json::kind::int64:
      if (value.get_int64() == 0 || value.get_int64() == 1) return value.get_int64() == 1;
      return std::unexpected(kBoolText);
    case json::kind::double_:
      if (value.get_double() == 0 || value.get_double() == 1) return value.get_double() == 1;
      return std::unexpected(kBoolType);
    case json::kind::string:
      if (const auto truth = boolean_of(value.get_string())) return *truth;
      return std::unexpected(kBoolText);
    default:
      return std::unexpected(kBoolType);
  }
}

Lax<std::string_view> lax_string(const json::value& value) {
  if (value.is_string()) return std::string_view(value.get_string());
  return std::unexpected(LaxFailure{"string_type", "Input should be a valid string"});
}

}  // namespace ingot::api
