// Writes compact JSON straight into a string: no tree, one pass. Used for replies, which are made per token.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ingot::api {

// Appends `text` quoted and escaped; bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

// Commas are its business, the balance of open and close the caller's.
class JsonWriter {
 public:
  JsonWriter() = default;
  // Goes on behind `prefix`, which ends where a value may stand without a comma (after '[', '{' or ':').
  explicit JsonWriter(std::string prefix) : out_(std::move(prefix)) {}

  JsonWriter& open_object() { return open('{'); }
  JsonWriter& close_object() { return close('}'); }
  JsonWriter& open_array() { return open('['); }
  JsonWriter& close_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& null() { return raw("null"); }
  JsonWriter& string(std::string_view text);
  JsonWriter& integer(int64_t number);
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& number(float value);  // shortest form that reads back the same, always with '.' or exponent; finite
  JsonWriter& raw(std::string_view json);  // one value, already JSON

  // "name": value in one call.
  JsonWriter& string(std::string_view name, std::string_view text) { return key(name).string(text); }
  JsonWriter& integer(std::string_view name, int64_t number) { return key(name).integer(number); }
  JsonWriter& boolean(std::string_view name, bool value) { return key(name).boolean(value); }
  JsonWriter& null(std::string_view name) { return key(name).null(); }

  std::string take() { return std::move(out_); }  // the writer is then done

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string out_;
  bool need_comma_ = false;
};

}  // namespace ingot::api
