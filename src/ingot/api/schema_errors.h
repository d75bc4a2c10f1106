// Gathers what is wrong with a body's JSON types, to be told in one error of the schema shape:
//   1 validation error:
//     {'type': 'missing', 'loc': ('body', 'messages'), 'msg': 'Field required', 'input': {…}}
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/json/value.hpp>

#include "ingot/api/error.h"

namespace ingot::api {

using Location = std::vector<std::variant<std::string, int64_t>>;  // ("body", "messages", 0, "role")

class SchemaErrors {
 public:
  // `type` and `message` as pydantic words them; `input` is shown in Python's notation, shortened when long.
  void add(std::string_view type, const Location& location, std::string_view message, const boost::json::value& input);

  bool empty() const { return num_errors_ == 0; }
  // All of them (the first 20 in words): status 400, type "Bad Request", param = dotted path of the first. Requires
  // !empty().
  ApiError to_error() const;

 private:
  static constexpr size_t kMaxShown = 20;

  int64_t num_errors_ = 0;
  std::vector<std::string> records_;
  std::string first_path_;
};

}  // namespace ingot::api
