// JSON objects one over the other.
#pragma once

#include <boost/json.hpp>

namespace ingot {

// Sets the keys of `changes` in `target`; where both hold an object, inside it likewise. null is a value like any.
inline void lay_over(boost::json::object& target, const boost::json::object& changes) {
  for (const auto& [key, value] : changes) {
    boost::json::value& own = target[key];
    if (own.is_object() && value.is_object()) {
      lay_over(own.get_object(), value.get_object());
    } else {
      own = value;
    }
  }
}

}  // namespace ingot
