// Texts from the table of flags.
#include "ingot/config/help.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ingot/config/arguments.h"
#include "ingot/config/flag_table.h"

namespace ingot {
namespace {

constexpr size_t kWidth = 110;
constexpr const char* kOwnGroup = "Options";  // CLI11's, of --help itself

using Flags = std::vector<const CLI::Option*>;

std::vector<std::string> groups(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (option->get_group() != kOwnGroup && std::ranges::find(names, option->get_group()) == names.end())
      names.push_back(option->get_group());
  return names;
}

Flags flags_of(const CLI::App& app, const std::string& group) {
  return app.get_options([&](const CLI::Option* option) { return option->get_group() == group; });
}

// "--a, --b, …" in lines of kWidth.
std::string names_of(const Flags& flags) {
  std::string text, line = "  ";
  for (const CLI::Option* flag : flags) {
    const std::string name = flag->get_lnames().empty() ? flag->get_name(true) : "--" + flag->get_lnames().front();
    if (line.size() + name.size() > kWidth) text += std::exchange(line, "  ") + "\n";
    line += name + "  ";
  }
  return text + line + "\n";
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

std::string explain(const Flags& flags) {
  const FlagFormatter formatter;
  std::string text;
  for (const CLI::Option* flag : flags) text += formatter.make_option(flag, false);
  return text;
}

}  // namespace

std::string short_help(const CLI::App& app) {
  const std::vector<std::string> names = groups(app);
  if (names.size() < 2) return app.help();
  std::string text = fmt::format("{}\n\nUsage: {} [MODEL] [flags]\n", app.get_description(), app.get_name());
  for (const std::string& name : names) text += fmt::format("\n{}:\n{}", name, names_of(flags_of(app, name)));
  return text + fmt::format("\n--help=GROUP, --help=FLAG and --help=all say what they do.\n\n{}\n", app.get_footer());
}

Result<std::string> help_about(const CLI::App& app, std::string_view topic) {
  if (topic == "all") return app.help();
  const std::vector<std::string> names = groups(app);
  for (const std::string& name : names)
    if (!topic.empty() && lower(name).starts_with(lower(topic)))
      return fmt::format("{}:\n{}", name, explain(flags_of(app, name)));
  const std::string word(topic.substr(std::min(topic.find_first_not_of('-'), topic.size())));
  const std::string flag = normalise_flag_names(std::vector<std::string>{"--" + word}).front();
  if (const CLI::Option* found = app.get_option_no_throw(flag)) return explain({found});
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("--help={}: there is no such group or flag; the groups are: {}", topic, fmt::join(names, ", ")),
      "help");
}

}  // namespace ingot
