// A parser by events: what does not belong is refused where it stands, before anything is built of it.
#include "ingot/checkpoint/safetensors/header.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_set>
#include <utility>

#include <boost/json/basic_parser_impl.hpp>
#include <fmt/format.h>

#include "ingot/checkpoint/format_error.h"

namespace ingot::safetensors {

namespace {

namespace json = boost::json;
using json::error_code;
using json::string_view;

constexpr size_t kMaxDims = 16;

// Takes the events of basic_parser. Level 1 is the header's object, level 2 an entry's; lists stand in entries alone.
class Handler {
 public:
  static constexpr size_t max_object_size = -1, max_array_size = -1, max_key_size = -1, max_string_size = -1;

  std::vector<Entry> entries;

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }

  bool on_object_begin(error_code&) {
    if (level_ == 2 || in_list_) refuse("an object");
    if (++level_ == 2 && !in_metadata_) entries.push_back({.name = name_, .dtype = {}, .shape = {}});
    seen_ = {};
    return true;
  }
  bool on_object_end(size_t, error_code&) {
    if (level_-- == 2 && !in_metadata_)
      for (size_t i = 0; i < kFields.size(); ++i)
        if (!seen_[i]) corrupt(fmt::format("tensor {} has no {} in the header", quoted(name_), kFields[i]));
    return true;
  }

  bool on_array_begin(error_code&) {
    if (level_ != 2 || in_list_ || in_metadata_ || key_ == "dtype") refuse("a list");
    in_list_ = true;
    numbers_.clear();
    return true;
  }
  bool on_array_end(size_t, error_code&) {
    in_list_ = false;
    if (key_ == "shape") {
      entries.back().shape = numbers_;
    } else if (numbers_.size() == 2) {
      entries.back().begin = numbers_[0];
      entries.back().end = numbers_[1];
    } else {
      corrupt(fmt::format("tensor {} has {} data_offsets, not two", quoted(name_), numbers_.size()));
    }
    return true;
  }

  bool on_key_part(string_view part, size_t, error_code&) { return add_text(part); }
  bool on_key(string_view last, size_t, error_code&) {
    add_text(last);
    key_ = std::exchange(text_, {});
    if (level_ == 1) {
      begin_entry();
    } else if (!in_metadata_) {
      begin_field();
    }
    return true;
  }

  bool on_string_part(string_view part, size_t, error_code&) { return add_text(part); }
  bool on_string(string_view last, size_t, error_code&) {
    add_text(last);
    std::string text = std::exchange(text_, {});
    if (level_ != 2 || in_list_ || (!in_metadata_ && key_ != "dtype")) refuse("a text");
    if (!in_metadata_) entries.back().dtype = std::move(text);
    return true;
  }

  bool on_number_part(string_view, error_code&) { return true; }
  bool on_int64(int64_t value, string_view, error_code&) {
    if (value < 0) refuse(fmt::format("{}", value));
    return add_number(static_cast<uint64_t>(value));
  }
  bool on_uint64(uint64_t value, string_view, error_code&) { return add_number(value); }
  bool on_double(double value, string_view, error_code&) { refuse(fmt::format("{}", value)); }
  bool on_bool(bool value, error_code&) { refuse(value ? "true" : "false"); }
  bool on_null(error_code&) { refuse("null"); }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }

 private:
  static constexpr std::array<std::string_view, 3> kFields{"dtype", "shape", "data_offsets"};

  bool add_text(string_view part) { return text_.append(part.data(), part.size()), true; }

  void begin_entry() {
    name_ = key_;
    in_metadata_ = name_ == "__metadata__";
    if (name_.empty()) corrupt("the header has a tensor without a name");
    if (!names_.insert(name_).second) corrupt(fmt::format("tensor {} appears twice", quoted(name_)));
  }

  void begin_field() {
    const auto* const field = std::ranges::find(kFields, key_);
    if (field == kFields.end())
      corrupt(fmt::format("tensor {} has the unknown field {} in the header", quoted(name_), quoted(key_)));
    if (std::exchange(seen_[static_cast<size_t>(std::distance(kFields.begin(), field))], true))
      corrupt(fmt::format("tensor {} has {} twice in the header", quoted(name_), key_));
  }

  bool add_number(uint64_t value) {
    if (!in_list_) refuse(fmt::format("{}", value));
    if (numbers_.size() == kMaxDims) corrupt(fmt::format("tensor {} has too many numbers", quoted(name_)));
    numbers_.push_back(value);
    return true;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    const std::string where = level_ == 0   ? "the header"
                              : level_ == 1 ? quoted(name_)
                                            : fmt::format("{} of {}", quoted(key_), quoted(name_));
    corrupt(fmt::format("{} is {} where the format has none", where, what));
  }

  int level_ = 0;
  bool in_metadata_ = false, in_list_ = false;
  std::string text_, key_, name_;  // what is being spelled; the last key; the entry's
  std::array<bool, 3> seen_{};
  std::vector<uint64_t> numbers_;
  std::unordered_set<std::string> names_;
};

}  // namespace

std::vector<Entry> read_header(std::string_view text) {
  json::parse_options options;
  options.max_depth = 4;
  json::basic_parser<Handler> parser(options);
  error_code error;
  const size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (error) corrupt(fmt::format("the header is not JSON: {} at byte {}", error.message(), read));
  if (text.find_first_not_of(" \t\r\n", read) != std::string_view::npos)
    corrupt(fmt::format("the header goes on after its end at byte {}", read));
  return std::move(parser.handler().entries);
}

}  // namespace ingot::safetensors
