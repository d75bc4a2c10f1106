// One way to parse for every command.
#include "ingot/config/command_line.h"

#include <memory>
#include <vector>

#include <fmt/format.h>

#include "ingot/config/arguments.h"
#include "ingot/config/flag_table.h"
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

}  // namespace

Result<std::optional<HelpText>> parse_command_line(CLI::App& app, std::span<const std::string> arguments) {
  app.formatter(std::make_shared<FlagFormatter>());
  app.get_help_ptr()->description("Show this text");
  app.allow_extras();
  auto expanded = expand_config_file(normalise_flag_names(arguments));
  if (!expanded) return std::unexpected(expanded.error());
  try {
    app.parse(std::vector<std::string>(expanded->rbegin(), expanded->rend()));
  } catch (const CLI::CallForHelp&) {
    return HelpText{app.help()};
  } catch (const CLI::ParseError& e) {
    return fail(ErrorCode::kInvalidArgument, e.what());
  }
  if (!app.remaining().empty()) return std::unexpected(explain_unknown(app, app.remaining()));
  return std::nullopt;
}

}  // namespace ingot
