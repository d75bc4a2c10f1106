// Keys of a JSON object, with bounds and fallbacks; remembers the first fault.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "ingot/base/result.h"

namespace ingot {

// A key that is absent or null takes its fallback; one without a fallback must be there. After a fault values are
// whatever lets reading go on: ask status() at the end. `object` must outlive the reader.
class ConfigReader {
 public:
  // `where` stands before every key in messages: "config: rope_scaling.".
  explicit ConfigReader(const boost::json::object& object, std::string where = "config: ")
      : object_(object), where_(std::move(where)) {}

  int positive(std::string_view key, std::optional<int> fallback = {});    // 1 … 2²⁴
  int natural(std::string_view key, std::optional<int> fallback = {});     // 0 … 2²⁴
  double real(std::string_view key, std::optional<double> fallback = {});  // above 0
  double real_or_zero(std::string_view key, double fallback);              // 0 or above
  std::vector<double> reals(std::string_view key);                         // a list, each above 0
  bool flag(std::string_view key, bool fallback);
  std::string text(std::string_view key, std::string_view fallback = "");
  std::vector<std::string> texts(std::string_view key);        // a list
  const boost::json::object* object(std::string_view key);     // nullptr when absent or null
  const boost::json::value* find(std::string_view key) const;  // the same, of any kind
  bool has(std::string_view key) const { return find(key) != nullptr; }
  bool mentions(std::string_view key) const { return object_.contains(key); }  // null or not

  void fault(std::string_view key, std::string_view what);   // kCorrupt: "config: key what"
  void refuse(std::string_view key, std::string_view what);  // kUnsupported, likewise
  void take(const ConfigReader& other);                      // its fault, if it has one
  Status status() const;

  const std::string& where() const { return where_; }

 private:
  int number(std::string_view key, int least, std::optional<int> fallback);
  double real_from(std::string_view key, const boost::json::value& value, bool zero);
  void remember(Error error);

  const boost::json::object& object_;
  std::string where_;
  std::optional<Error> error_;
};

}  // namespace ingot
