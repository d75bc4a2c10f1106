// A thin layer over CLI11: each flag is one row of a table, and --help is laid out for people.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace ingot {

// Checks of a value's text; the message says what would do.
CLI::Validator one_of(std::vector<std::string> choices);
CLI::Validator within(double low, double high);

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
    const auto set = [&target](int64_t count) { target = static_cast<T>(count); };
    place(group, app_.add_option_function<std::string>(name, count_reader(name, low, high, set), help))
        ->type_name("COUNT")
        ->default_str(default_of(target));
  }

  void flag(const char* group, const char* name, bool& target, const char* help);

  // One of a few words; the first is the default.
  void choice(const char* group, const char* name, std::function<void(const std::string&)> set,
              std::vector<std::string> words, const char* help);
  void choice(const char* group, const char* name, std::string& target, std::vector<std::string> words,
              const char* help);

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
  static std::function<void(const std::string&)> count_reader(std::string name, int64_t low, int64_t high,
                                                              std::function<void(int64_t)> set);

  CLI::App& app_;
};

}  // namespace ingot
