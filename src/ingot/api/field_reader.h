// Reads the fields of a JSON object by name, as lax as pydantic: "5" and 5.0 are the integer 5, "true" and 1 a bool.
// null is the same as absent. What does not fit is noted in SchemaErrors, and the reader answers "absent".
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "ingot/api/schema_errors.h"

namespace ingot::api {

struct IntRange {
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
};

// Borrows the object and the errors. Not for sharing between threads.
class FieldReader {
 public:
  FieldReader(const boost::json::object& object, SchemaErrors& errors, Location location = {"body"});

  bool has(std::string_view name) const { return value(name) != nullptr; }
  const boost::json::value* value(std::string_view name) const;  // null when absent or null

  std::optional<int64_t> integer(std::string_view name, IntRange range = {});
  std::optional<double> number(std::string_view name);  // finite or not: "nan" and "inf" are numbers to pydantic
  std::optional<bool> boolean(std::string_view name);
  std::optional<std::string> string(std::string_view name);
  std::optional<std::vector<int64_t>> integers(std::string_view name);  // a list
  const boost::json::object* object(std::string_view name);
  const boost::json::array* array(std::string_view name);

  void missing(std::string_view name);  // notes "Field required"
  void wrong(std::string_view name, std::string_view type, std::string_view message);
  Location at(std::string_view name) const;

  const boost::json::object& json() const { return object_; }
  SchemaErrors& errors() { return errors_; }

 private:
  const boost::json::object& object_;
  SchemaErrors& errors_;
  Location location_;
};

}  // namespace ingot::api
