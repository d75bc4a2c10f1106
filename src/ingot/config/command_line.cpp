// One way to parse for every command.
#include "ingot/config/command_line.h"

#include <cctype>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "ingot/config/arguments.h"
#include "ingot/config/flag_table.h"
#include "ingot/config/help.h"
#include "ingot/config/unbuilt_flags.h"

namespace ingot {
namespace {

// What CLI11 did not know: built later, misspelt or unheard of.
Error explain_unknown(const CLI::App& app, const std::vector<std::string>& extras) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string name = extras.front().substr(0, extras.front().find('='));
  if (!name.starts_with("-")) return {ErrorCode::kInvalidArgument, fmt::format("unexpected argument '{}'", name), name};
  if (is_unbuilt_flag(name)) {
    return {ErrorCode::kUnsupported, fmt::format("{} is a flag of vllm serve that Ingot does not have yet", name),
            name};
  }
  const std::string near = nearest(name, known);
  return {ErrorCode::kInvalidArgument,
          fmt::format("unknown flag {}{}", name,
                      near.empty() ? " (see " + app.get_name() + " --help)" : "; did you mean " + near + "?"),
          name};
}

using Words = std::vector<std::string>;

// What follows "--help=", if any argument says so.
std::optional<std::string> help_topic(const Words& arguments) {
  for (const std::string& argument : arguments)
    if (argument.starts_with("--help=")) return argument.substr(7);
  return std::nullopt;
}

// "--hf-overrides.a.b 1" → --hf-overrides={"a":{"b":1}} for flags that take JSON.
void fold_dotted_names(const CLI::App& app, Words& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const size_t dot = arguments[i].find('.'), equals = arguments[i].find('=');
    if (!arguments[i].starts_with("--") || dot == std::string::npos || dot > equals) continue;
    const CLI::Option* flag = app.get_option_no_throw(arguments[i].substr(0, dot));
    if (!flag || flag->get_type_name() != kJsonType || (equals == std::string::npos && i + 1 == arguments.size()))
      continue;
    std::string path = arguments[i].substr(dot + 1, equals == std::string::npos ? equals : equals - dot - 1);
    boost::json::value value =
        json_or_text(equals == std::string::npos ? arguments[i + 1] : arguments[i].substr(equals + 1));
    for (size_t end = path.rfind('.'); end != std::string::npos; end = path.rfind('.')) {
      value = boost::json::object{{path.substr(end + 1), value}};
      path.resize(end);
    }
    const boost::json::object folded{{path, value}};
    if (equals == std::string::npos) arguments.erase(arguments.begin() + static_cast<ptrdiff_t>(i) + 1);
    arguments[i] = arguments[i].substr(0, dot) + "=" + boost::json::serialize(folded);
  }
}

Words environment_flags(const CLI::App& app) {
  Words flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      std::string variable = "INGOT_" + name;
      for (char& c : variable) c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      const char* const value = std::getenv(variable.c_str());
      if (!value || !*value || option == app.get_help_ptr()) continue;
      if (option->get_expected_max() > 1 && option->get_type_name() != kJsonType) {
        flags.push_back("--" + name);
        std::istringstream words(value);
        flags.insert(flags.end(), std::istream_iterator<std::string>(words), {});
      } else {
        flags.push_back("--" + name + "=" + value);
      }
    }
  }
  return flags;
}

const CLI::Option* option_of(const CLI::App& app, const std::string& argument) {
  return argument.starts_with("-") ? app.get_option_no_throw(argument.substr(0, argument.find('='))) : nullptr;
}

// Appends the flags of `lower` that `upper` does not give, under any of their names.
void lay_under(const CLI::App& app, Words& upper, const Words& lower) {
  std::set<const CLI::Option*> given;
  for (const std::string& argument : upper) given.insert(option_of(app, argument));
  bool keeps = false;
  for (const std::string& argument : lower) {
    const CLI::Option* option = option_of(app, argument);
    if (argument.starts_with("--")) keeps = !option || !given.contains(option);
    if (keeps) upper.push_back(argument);
  }
}

}  // namespace

Result<std::optional<HelpText>> parse_command_line(CLI::App& app, std::span<const std::string> arguments) {
  app.formatter(std::make_shared<FlagFormatter>());
  app.get_help_ptr()->description("Show this text; =all, =GROUP or =FLAG for more");
  app.allow_extras();
  if (!app.get_option_no_throw("--config"))
    app.add_option("--config", "YAML file of flags; the command line wins")->type_name("FILE");
  Words words = normalise_flag_names(arguments);
  if (const auto topic = help_topic(words)) {
    auto text = help_about(app, *topic);
    if (!text) return std::unexpected(text.error());
    return HelpText{std::move(*text)};
  }
  const auto file = take_config_file(words);
  if (!file) return std::unexpected(file.error());
  fold_dotted_names(app, words);
  lay_under(app, words, environment_flags(app));
  lay_under(app, words, *file);
  try {
    app.parse(Words(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    return HelpText{short_help(app)};
  } catch (const CLI::ParseError& e) {
    return fail(ErrorCode::kInvalidArgument, e.what());
  }
  if (!app.remaining().empty()) return std::unexpected(explain_unknown(app, app.remaining()));
  return std::nullopt;
}

}  // namespace ingot
