// Reads one JSON value as pydantic's lax mode does: "5", 5.0 and true are the integer 1 or 5; "yes" and 1 are true.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

#include <boost/json/value.hpp>

namespace ingot::api {

// Why a value does not fit, as pydantic names and words it. Both point to static text.
struct LaxFailure {
  std::string_view type;
  std::string_view message;
};

template <class T>
using Lax = std::expected<T, LaxFailure>;

Lax<int64_t> lax_integer(const boost::json::value& value);
Lax<double> lax_number(const boost::json::value& value);  // finite or not: "nan" and "inf" are numbers
Lax<bool> lax_boolean(const boost::json::value& value);
Lax<std::string_view> lax_string(const boost::json::value& value);  // strings only; borrows from `value`

}  // namespace ingot::api
