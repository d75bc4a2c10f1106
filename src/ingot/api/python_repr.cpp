// Python's repr() of JSON-like values.
#include "ingot/api/python_repr.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "ingot/api/utf8.h"

namespace ingot::api {
namespace {

namespace json = boost::json;

class Repr {
 public:
  explicit Repr(size_t max_bytes) : max_bytes_(max_bytes) {}

  void value(const json::value& v) {
    if (full()) return;
    switch (v.kind()) {
      case json::kind::null:
        out_ += "None";
        return;
      case json::kind::bool_:
        out_ += v.get_bool() ? "True" : "False";
        return;
      case json::kind::int64:
        out_ += std::to_string(v.get_int64());
        return;
      case json::kind::uint64:
        out_ += std::to_string(v.get_uint64());
        return;
      case json::kind::double_:
        out_ += python_repr(v.get_double());
        return;
      case json::kind::string:
        return text(v.get_string());
      case json::kind::array:
        return list(v.get_array());
      case json::kind::object:
        return dict(v.get_object());
    }
  }

  std::string take() {
    if (full()) out_ += "…";
    return std::move(out_);
  }

 private:
  bool full() const { return out_.size() > max_bytes_; }

  void list(const json::array& items) {
    out_ += '[';
    for (size_t i = 0; i < items.size() && !full(); ++i) {
      if (i > 0) out_ += ", ";
      value(items[i]);
    }
    if (!full()) out_ += ']';
  }

  void dict(const json::object& members) {
    out_ += '{';
    bool first = true;
    for (const auto& [key, member] : members) {
      if (full()) return;
      if (!std::exchange(first, false)) out_ += ", ";
      text(key);
      out_ += ": ";
      value(member);
    }
    if (!full()) out_ += '}';
  }

  void text(std::string_view s) {
    const char quote = s.find('\'') != s.npos && s.find('"') == s.npos ? '"' : '\'';
    out_ += quote;
    while (!s.empty() && !full()) {
      const int num_bytes = first_sequence(s).num_bytes;
      if (num_bytes > 1) {
        out_ += s.substr(0, num_bytes);
      } else {
        character(s[0], quote);
      }
      s.remove_prefix(num_bytes);
    }
    if (!full()) out_ += quote;
  }

  void character(char c, char quote) {
    if (c == quote || c == '\\') {
      out_ += '\\', out_ += c;
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (c == '\r') {
      out_ += "\\r";
    } else if (c == '\t') {
      out_ += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      std::array<char, 8> hex;
      std::snprintf(hex.data(), hex.size(), "\\x%02x", static_cast<unsigned>(c));
      out_ += hex.data();
    } else {
      out_ += c;
    }
  }

  size_t max_bytes_;
  std::string out_;
};

}  // namespace

std::string python_repr(const json::value& value, size_t max_bytes) {
  Repr repr(max_bytes);
  repr.value(value);
  return repr.take();
}

std::string python_text(const json::value& value, size_t max_bytes) {
  if (!value.is_string()) return python_repr(value, max_bytes);
  std::string_view text = value.get_string();
  size_t end = 0;
  while (end < text.size() && end < max_bytes) end += first_sequence(text.substr(end)).num_bytes;
  return std::string(text.substr(0, end)) + (end < text.size() ? "…" : "");
}

// Shortest digits that read back; positional where the exponent lies in [-4, 16), as in CPython's float_repr_style.
std::string python_repr(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  std::array<char, 40> buffer;
  const double size = std::abs(number);
  const bool positional = size == 0 || (size >= 1e-4 && size < 1e16);
  const auto format = positional ? std::chars_format::fixed : std::chars_format::scientific;
  std::string text(buffer.begin(), std::to_chars(buffer.begin(), buffer.end(), number, format).ptr);
  if (positional && text.find('.') == text.npos) text += ".0";
  return text;
}

}  // namespace ingot::api
