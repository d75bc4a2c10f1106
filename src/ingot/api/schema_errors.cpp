// Formats validation records as a Python dict's text.
#include "ingot/api/schema_errors.h"

#include <fmt/format.h>

#include "ingot/api/python_repr.h"

namespace ingot::api {
namespace {

std::string tuple_text(const Location& location) {
  std::string out = "(";
  for (const auto& step : location) {
    if (out.size() > 1) out += ", ";
    const auto* name = std::get_if<std::string>(&step);
    out += name ? python_repr(boost::json::value(*name)) : std::to_string(std::get<int64_t>(step));
  }
  return out + (location.size() == 1 ? ",)" : ")");
}

std::string dotted(const Location& location) {
  std::string out;
  for (const auto& step : location) {
    if (!out.empty()) out += '.';
    const auto* name = std::get_if<std::string>(&step);
    out += name ? *name : std::to_string(std::get<int64_t>(step));
  }
  return out;
}

}  // namespace

void SchemaErrors::add(std::string_view type, const Location& location, std::string_view message,
                       const boost::json::value& input) {
  if (++num_errors_ == 1) first_path_ = dotted(location);
  if (records_.size() >= kMaxShown) return;
  records_.push_back(fmt::format("{{'type': {}, 'loc': {}, 'msg': {}, 'input': {}}}",
                                 python_repr(boost::json::value(type)), tuple_text(location),
                                 python_repr(boost::json::value(message)), python_repr(input)));
}

ApiError SchemaErrors::to_error() const {
  std::string message = fmt::format("{} validation error{}:", num_errors_, num_errors_ == 1 ? "" : "s");
  for (const std::string& record : records_) message += "\n  " + record;
  if (num_errors_ > static_cast<int64_t>(records_.size())) message += "\n  …";
  return {400, std::move(message), "Bad Request", first_path_, std::nullopt};
}

}  // namespace ingot::api
