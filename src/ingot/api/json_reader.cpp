// Parses with Boost.JSON; its error codes become the schema shape's json_invalid.
#include "ingot/api/json_reader.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

#include <boost/json/stream_parser.hpp>

#include "ingot/api/schema_errors.h"

namespace ingot::api {
namespace {

namespace json = boost::json;

constexpr size_t kMaxDepth = 128;

std::unexpected<ApiError> schema_error(std::string_view type, const Location& location, std::string_view message,
                                       const json::value& input) {
  SchemaErrors errors;
  errors.add(type, location, message, input);
  return std::unexpected(errors.to_error());
}

// 1e400 parses as infinity, which no JSON of ours could pass on.
bool all_finite(const json::value& value) {
  if (const double* number = value.if_double()) return std::isfinite(*number);
  if (const json::array* items = value.if_array()) return std::ranges::all_of(*items, all_finite);
  const json::object* members = value.if_object();
  return !members || std::ranges::all_of(*members, [](const auto& member) { return all_finite(member.value()); });
}

}  // namespace

Parsed<json::object> parse_body(std::string_view body) {
  if (body.empty()) return schema_error("missing", {"body"}, "Field required", nullptr);
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::stream_parser parser({}, options);
  json::error_code failure;
  const size_t position = parser.write_some(body.data(), body.size(), failure);
  if (!failure && position < body.size() &&
      !std::ranges::all_of(body.substr(position), [](unsigned char c) { return std::isspace(c); })) {
    failure = json::error::extra_data;
  }
  if (!failure) parser.finish(failure);
  if (failure) {
    return schema_error("json_invalid", {"body", static_cast<int64_t>(position)},
                        "JSON decode error: " + failure.message(), json::object());
  }
  json::value value = parser.release();
  if (!value.is_object()) {
    return schema_error("model_attributes_type", {"body"},
                        "Input should be a valid dictionary or object to extract fields from", value);
  }
  if (!all_finite(value)) {
    return schema_error("json_invalid", {"body"}, "JSON decode error: number out of range", json::object());
  }
  return std::move(value.get_object());
}

Parsed<void> check_content_type(std::string_view content_type) {
  std::string media_type(content_type.substr(0, content_type.find(';')));
  while (!media_type.empty() && media_type.back() == ' ') media_type.pop_back();
  std::ranges::transform(media_type, media_type.begin(), [](unsigned char c) { return std::tolower(c); });
  if (media_type == "application/json") return {};
  return std::unexpected(
      http_error(400, "1 validation error:\n  Unsupported Media Type: Only 'application/json' is allowed"));
}

}  // namespace ingot::api
