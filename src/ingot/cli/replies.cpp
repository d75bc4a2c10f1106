// Prints.
#include "ingot/cli/replies.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace ingot::cli {

std::string stats_line(const Reply& reply) {
  std::string line;
  if (reply.completion_tokens) line += fmt::format("{} tokens in ", *reply.completion_tokens);
  line += fmt::format("{:.2f} s, the first after {:.2f} s", reply.total_s, reply.first_s);
  const double rest_s = reply.total_s - reply.first_s;
  if (reply.completion_tokens.value_or(0) > 1 && rest_s > 0)
    line += fmt::format(", then {:.1f} tokens/s", static_cast<double>(*reply.completion_tokens - 1) / rest_s);
  if (reply.prompt_tokens) line += fmt::format("; prompt of {} tokens", *reply.prompt_tokens);
  return line;
}

std::string without_controls(std::string_view text) {
  std::string clean;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\t' || (byte >= 0x20 && byte != 0x7f)) clean += c;
  }
  return clean;
}

Replies::Replies(Backend& backend, api::Endpoint endpoint, std::string model)
    : backend_(backend), endpoint_(endpoint), model_(std::move(model)) {}

Result<Reply> Replies::ask(boost::json::object request) {
  request["model"] = model_;
  const bool on_terminal = isatty(STDOUT_FILENO);
  bool at_line_start = true;
  Result<Reply> reply = backend_.ask(endpoint_, std::move(request), [&](std::string_view text) {
    const std::string shown = on_terminal ? without_controls(text) : std::string(text);
    std::fwrite(shown.data(), 1, shown.size(), stdout);
    std::fflush(stdout);
    at_line_start = shown.empty() ? at_line_start : shown.ends_with('\n');
  });
  if (reply || !at_line_start) std::fputs(at_line_start && !reply->text.empty() ? "" : "\n", stdout);
  std::fflush(stdout);
  if (reply && reply->interrupted) fmt::print(stderr, "[interrupted]\n");
  if (reply && shows_stats_) fmt::print(stderr, "[{}]\n", stats_line(*reply));
  return reply;
}

}  // namespace ingot::cli
