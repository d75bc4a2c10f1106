// Values in Python's notation, as error messages show them.
#pragma once

#include <cstddef>
#include <string>

#include <boost/json/value.hpp>

namespace ingot::api {

// {'a': [1, 2.5, None, True]}; cut with "…" once `max_bytes` are exceeded (the result may be a few bytes longer).
std::string python_repr(const boost::json::value& value, size_t max_bytes = 1000);
// As str() shows it: the same, but strings bare.
std::string python_text(const boost::json::value& value, size_t max_bytes = 200);
std::string python_repr(double number);  // 3.0, 1e-05, nan

}  // namespace ingot::api
