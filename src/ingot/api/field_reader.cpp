// Field access over lax.h with the errors' locations.
#include "ingot/api/field_reader.h"

#include <utility>

#include "ingot/api/lax.h"

namespace ingot::api {

namespace json = boost::json;

FieldReader::FieldReader(const json::object& object, SchemaErrors& errors, Location location)
    : object_(object), errors_(errors), location_(std::move(location)) {}

const json::value* FieldReader::value(std::string_view name) const {
  const json::value* found = object_.if_contains(name);
  return found && !found->is_null() ? found : nullptr;
}

Location FieldReader::at(std::string_view name) const {
  Location location = location_;
  location.emplace_back(std::string(name));
  return location;
}

void FieldReader::missing(std::string_view name) { errors_.add("missing", at(name), "Field required", object_); }

void FieldReader::wrong(std::string_view name, std::string_view type, std::string_view message) {
  errors_.add(type, at(name), message, object_.at(name));
}

std::optional<int64_t> FieldReader::integer(std::string_view name) {
  const json::value* found = value(name);
  if (!found) return std::nullopt;
  const auto number = lax_integer(*found);
  if (number) return *number;
  wrong(name, number.error().type, number.error().message);
  return std::nullopt;
}

std::optional<double> FieldReader::number(std::string_view name) {
  const json::value* found = value(name);
  if (!found) return std::nullopt;
  const auto number = lax_number(*found);
  if (number) return *number;
  wrong(name, number.error().type, number.error().message);
  return std::nullopt;
}

std::optional<bool> FieldReader::boolean(std::string_view name) {
  const json::value* found = value(name);
  if (!found) return std::nullopt;
  const auto truth = lax_boolean(*found);
  if (truth) return *truth;
  wrong(name, truth.error().type, truth.error().message);
  return std::nullopt;
}

std::optional<std::string> FieldReader::string(std::string_view name) {
  const json::value* found = value(name);
  if (!found) return std::nullopt;
  const auto text = lax_string(*found);
  if (text) return std::string(*text);
  wrong(name, text.error().type, text.error().message);
  return std::nullopt;
}

std::optional<std::string> FieldReader::literal(std::string_view name,
                                                std::initializer_list<std::string_view> choices) {
  const json::value* found = value(name);
  if (!found) return std::nullopt;
  std::string message = "Input should be ";
  size_t index = 0;
  for (std::string_view choice : choices) {
    if (found->is_string() && found->get_string() == choice) return std::string(choice);
    if (index > 0) message += index + 1 == choices.size() ? " or " : ", ";
    message.append("'").append(choice).append("'");
    ++index;
  }
  wrong(name, "literal_error", message);
  return std::nullopt;
}

std::optional<std::vector<int64_t>> FieldReader::integers(std::string_view name) {
  const json::array* items = array(name);
  if (!items) return std::nullopt;
  std::vector<int64_t> numbers;
  numbers.reserve(items->size());
  for (size_t i = 0; i < items->size(); ++i) {
    const auto number = lax_integer((*items)[i]);
    if (number) {
      numbers.push_back(*number);
    } else {
      Location location = at(name);
      location.emplace_back(static_cast<int64_t>(i));
      errors_.add(number.error().type, location, number.error().message, (*items)[i]);
    }
  }
  return numbers;
}

const json::object* FieldReader::object(std::string_view name) {
  const json::value* found = value(name);
  if (!found) return nullptr;
  if (!found->is_object()) wrong(name, "dict_type", "Input should be a valid dictionary");
  return found->if_object();
}

const json::array* FieldReader::array(std::string_view name) {
  const json::value* found = value(name);
  if (!found) return nullptr;
  if (!found->is_array()) wrong(name, "list_type", "Input should be a valid list");
  return found->if_array();
}

}  // namespace ingot::api
