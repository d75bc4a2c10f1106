// A thin layer over CLI11: each flag is one row of a table, and --help is laid out for people.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

namespace ingot {

// Checks of a value's text; the message says what would do.
CLI::Validator one_of(std::vector<std::string> choices);
CLI::Validator within(double low, double high);

// The type of a flag that takes a JSON object.
inline constexpr const char* kJsonType = "JSON";

// "--a", "--no-a": what a user may write; MODEL for a positional one.
std::vector<std::string> flag_names(const CLI::Option& option);

// One flag a paragraph: names and what they take, then what it does and the default.
class FlagFormatter : public CLI::Formatter {
 public:
  FlagFormatter();
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

// Adds rows to a CLI::App. Of a flag given twice the last one counts.
class FlagTable {
 public:
  explicit FlagTable(CLI::App& app) : app_(app) {}

  template <class T>
  CLI::Option* value(const char* group, const char* name, T& target, const char* help) {
    return place(group, app_.add_option(name, target, help))->default_str(default_of(target));
  }

  // A count with suffixes (k = 1000, K = 1024, …), within [low, high].
  template <class T>
  void count(const char* group, const char* name, T& target, int64_t low, int64_t high, const char* help) {
    count(
        group, name, {low, high, {}}, [&target](std::optional<int64_t> n) { target = static_cast<T>(*n); }, help)
        ->default_str(default_of(target));
  }

  // A count, or a word that stands for none.
  struct CountRange {
    int64_t low, high;
    std::vector<std::string> words;
  };
  CLI::Option* count(const char* group, const char* name, CountRange range,
                     std::function<void(std::optional<int64_t>)> set, const char* help);

  void flag(const char* group, const char* name, bool& target, const char* help);

  // One of a few words, each for a value of T; the first is the default.
  template <class T>
  void choice(const char* group, const char* name, T& target, std::vector<std::pair<std::string, T>> rows,
              const char* help) {
    std::vector<std::string> words;
    for (const auto& [word, value] : rows) words.push_back(word);
    const auto set = [&target, rows = std::move(rows)](const std::string& word) {
      target = std::ranges::find(rows, word, &std::pair<std::string, T>::first)->second;
    };
    choice(group, name, set, std::move(words), help);
  }

  // One of a few words; the first is the default.
  void choice(const char* group, const char* name, std::function<void(const std::string&)> set,
              std::vector<std::string> words, const char* help);
  void choice(const char* group, const char* name, std::string& target, std::vector<std::string> words,
              const char* help);

  // A JSON object. Given several times, the objects are merged; NAME.KEY VALUE on the command line is one of them.
  void json(const char* group, const char* name, boost::json::object& target, const char* help);

  // One value or more.
  void list(const char* group, const char* name, std::vector<std::string>& target, const char* type, const char* help);

 private:
  template <class T>
  static std::string default_of(const T& value) {
    return fmt::format("{}", value);
  }
  template <class T>
  static std::string default_of(const std::optional<T>&) {
    return "";
  }
  static CLI::Option* place(const char* group, CLI::Option* option);

  CLI::App& app_;
};

}  // namespace ingot
