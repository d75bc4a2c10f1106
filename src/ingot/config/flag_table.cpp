// Rows, checks and layout.
#include "ingot/config/flag_table.h"

#include <algorithm>
#include <charconv>

#include <fmt/ranges.h>

#include "ingot/config/arguments.h"
#include "ingot/core/lay_over.h"

namespace ingot {

CLI::Validator one_of(std::vector<std::string> choices) {
  const auto check = [choices = std::move(choices)](std::string& text) -> std::string {
    if (std::ranges::find(choices, text) != choices.end()) return "";
    return fmt::format("'{}' is not one of {}", text, fmt::join(choices, ", "));
  };
  return CLI::Validator(check, "");
}

CLI::Validator within(double low, double high) {
  const auto check = [low, high](std::string& text) -> std::string {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool number = error == std::errc() && end == text.data() + text.size();
    return number && value >= low && value <= high ? "" : fmt::format("'{}' is not within {} … {}", text, low, high);
  };
  return CLI::Validator(check, "");
}

std::vector<std::string> flag_names(const CLI::Option& option) {
  std::vector<std::string> names;
  if (option.get_positional()) names.push_back("MODEL");
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

FlagFormatter::FlagFormatter() { column_width(4); }

std::string FlagFormatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  if (is_positional) return "MODEL";
  std::vector<std::string> names = flag_names(*option);
  std::erase(names, "MODEL");  // has its own paragraph
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string FlagFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0 || option->get_positional()) return "";
  return fmt::format(" {}{}", option->get_type_name(), option->get_expected_max() > 1 ? " …" : "");
}

std::string FlagFormatter::make_option_desc(const CLI::Option* option) const {
  const std::string& initial = option->get_default_str();
  return initial.empty() ? option->get_description() : fmt::format("{} ({})", option->get_description(), initial);
}

CLI::Option* FlagTable::place(const char* group, CLI::Option* option) {
  return option->group(group)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

CLI::Option* FlagTable::count(const char* group, const char* name, CountRange range,
                              std::function<void(std::optional<int64_t>)> set, const char* help) {
  const std::string type = range.words.empty() ? "COUNT" : fmt::format("COUNT|{}", fmt::join(range.words, "|"));
  const auto read = [name = std::string(name), range = std::move(range),
                     set = std::move(set)](const std::string& text) {
    if (std::ranges::find(range.words, text) != range.words.end()) return set(std::nullopt);
    const Result<int64_t> count = parse_count(text);
    if (!count) throw CLI::ValidationError(name, count.error().message);
    if (*count < range.low || *count > range.high)
      throw CLI::ValidationError(name, fmt::format("'{}' is not within {} … {}", text, range.low, range.high));
    set(*count);
  };
  return place(group, app_.add_option_function<std::string>(name, read, help))->type_name(type);
}

void FlagTable::json(const char* group, const char* name, boost::json::object& target, const char* help) {
  const auto read = [&target, name = std::string(name)](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      boost::json::error_code error;
      const boost::json::value value = boost::json::parse(text, error);
      if (error || !value.is_object())
        throw CLI::ValidationError(name, fmt::format("'{}' is not a JSON object ({{\"key\": value}})", text));
      lay_over(target, value.get_object());
    }
  };
  app_.add_option_function<std::vector<std::string>>(name, read, help)
      ->group(group)
      ->type_name(kJsonType)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void FlagTable::flag(const char* group, const char* name, bool& target, const char* help) {
  place(group, app_.add_flag(name, target, help))->default_str(target ? "on" : "off");
}

void FlagTable::choice(const char* group, const char* name, std::function<void(const std::string&)> set,
                       std::vector<std::string> words, const char* help) {
  place(group, app_.add_option_function<std::string>(name, std::move(set), help))
      ->check(one_of(words))
      ->type_name(fmt::format("{}", fmt::join(words, "|")))
      ->default_str(words.front());
}

void FlagTable::choice(const char* group, const char* name, std::string& target, std::vector<std::string> words,
                       const char* help) {
  place(group, app_.add_option(name, target, help))
      ->check(one_of(words))
      ->type_name(fmt::format("{}", fmt::join(words, "|")))
      ->default_str(target);
}

void FlagTable::list(const char* group, const char* name, std::vector<std::string>& target, const char* type,
                     const char* help) {
  app_.add_option(name, target, help)->group(group)->expected(1, -1)->type_name(type);
}

}  // namespace ingot
