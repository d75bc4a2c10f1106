// Reads the fields of a JSON object by name, as laxly as pydantic (api/lax.h). null is the same as absent.
// What does not fit is noted in SchemaErrors, and the reader answers "absent".
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "ingot/api/schema_errors.h"

namespace ingot::api {

// Borrows the object and the errors. Not for sharing between threads.
class FieldReader {
 public:
  FieldReader(const boost::json::object& object, SchemaErrors& errors, Location location = {"body"});

  const boost::json::value* value(std::string_view name) const;  // nullptr when absent or null
  bool has(std::string_view name) const { return value(name) != nullptr; }

  std::optional<int64_t> integer(std::string_view name);
  std::optional<double> number(std::string_view name);
  std::optional<bool> boolean(std::string_view name);
  std::optional<std::string> string(std::string_view name);
  // One of `choices`.
  std::optional<std::string> literal(std::string_view name, std::initializer_list<std::string_view> choices);
  std::optional<std::vector<int64_t>> integers(std::string_view name);  // a list
  const boost::json::object* object(std::string_view name);
  const boost::json::array* array(std::string_view name);

  void missing(std::string_view name);                                                 // notes "Field required"
  void wrong(std::string_view name, std::string_view type, std::string_view message);  // a field that is present
  Location at(std::string_view name) const;

  SchemaErrors& errors() { return errors_; }

 private:
  const boost::json::object& object_;
  SchemaErrors& errors_;
  Location location_;
};

}  // namespace ingot::api
