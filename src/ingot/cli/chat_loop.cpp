// Line in, reply out.
#include "ingot/cli/chat_loop.h"

#include <csignal>
#include <cstdio>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "ingot/config/arguments.h"

namespace ingot::cli {
namespace {

using Next = Turn::Next;

struct Context {
  Conversation& conversation;
  Replies& replies;
};

struct SlashCommand {
  std::string name, arguments, help;
  std::function<Turn(const std::string& argument, Context& context)> run;
};

Turn notice(std::string text) { return {Next::kGoOn, std::move(text)}; }

Turn show_help(const std::string&, Context&);

Turn set_system(const std::string& text, Context& c) {
  c.conversation.set_system(text);
  return notice(text.empty() ? "no system prompt" : "system prompt set");
}

Turn regenerate(const std::string&, Context& c) {
  if (!c.conversation.take_back_reply()) return notice("there is no message to answer yet");
  return {Next::kReply, ""};
}

Turn set(const std::string& text, Context& c) {
  const auto shown = c.conversation.settings().set(text);
  return notice(shown ? *shown : shown.error().message);
}

Turn toggle_stats(const std::string&, Context& c) {
  c.replies.show_stats(!c.replies.shows_stats());
  return notice(c.replies.shows_stats() ? "figures after each reply" : "no figures");
}

Turn save(const std::string& path, Context& c) {
  if (path.empty()) return notice("where to? Example: /save talk.json");
  const Status saved = c.conversation.save(path);
  return notice(saved ? "saved to " + path : saved.error().message);
}

Turn load(const std::string& path, Context& c) {
  if (path.empty()) return notice("from where? Example: /load talk.json");
  const Status loaded = c.conversation.load(path);
  if (!loaded) return notice(loaded.error().message);
  return notice(fmt::format("{} messages from {}", c.conversation.num_messages(), path));
}

Turn clear(const std::string&, Context& c) {
  c.conversation.clear();
  return notice("the conversation begins anew");
}

Turn leave(const std::string&, Context&) { return {Next::kEnd, ""}; }

const std::vector<SlashCommand>& slash_commands() {
  static const std::vector<SlashCommand> commands = {
      {"/help", "", "show this", show_help},
      {"/clear", "", "forget the conversation, keep the system prompt", clear},
      {"/system", " TEXT", "set the system prompt", set_system},
      {"/regenerate", "", "answer the last message once more", regenerate},
      {"/set", " NAME VALUE", "a sampling setting (temperature 0.7; none: the default); alone: list", set},
      {"/stats", "", "show tokens and times after each reply, or not", toggle_stats},
      {"/save", " FILE", "write the conversation as JSON", save},
      {"/load", " FILE", "go on with a saved conversation", load},
      {"/exit", "", "leave (so does Ctrl-D)", leave},
  };
  return commands;
}

Turn show_help(const std::string&, Context&) {
  std::string text;
  for (const SlashCommand& command : slash_commands())
    text += fmt::format("  {:<18}{}\n", command.name + command.arguments, command.help);
  return notice(text +
                "Ctrl-C stops a reply. A line that ends in \\ goes on in the next one; so do lines between \"\"\" and "
                "\"\"\", pasted ones, and Alt-Enter.");
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const SlashCommand& command : slash_commands()) names.push_back(command.name);
  return names;
}

Turn run_command(std::string_view line, Context context) {
  const size_t space = std::min(line.find_first_of(" \t\n"), line.size());
  std::string name(line.substr(0, space));
  if (name == "/quit" || name == "/bye") name = "/exit";
  const size_t begin = line.find_first_not_of(" \t\n", space);
  const std::string argument(begin == std::string_view::npos ? "" : line.substr(begin));
  for (const SlashCommand& command : slash_commands()) {
    if (command.name == name) return command.run(argument, context);
  }
  const std::string near = nearest(name, names());
  return notice(
      fmt::format("no command {}{}", name, near.empty() ? "; /help lists them" : "; did you mean " + near + "?"));
}

bool is_command(std::string_view line) {
  const std::string_view word = line.substr(0, line.find_first_of(" \t\n"));
  return word.size() > 1 && word[0] == '/' &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyz", 1) == std::string_view::npos;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\n") == std::string_view::npos; }

// A question without an answer must not stay: the next one would follow it.
bool reply_to(Conversation& conversation, Replies& replies) {
  const Result<Reply> reply = replies.ask(conversation.request());
  if (!reply) fmt::print(stderr, "{}\n", reply.error().message);
  if (reply && !reply->text.empty()) {
    conversation.add_assistant(reply->text);
  } else {
    conversation.take_back_user();
  }
  return reply.has_value();
}

}  // namespace

Turn take_line(std::string_view line, Conversation& conversation, Replies& replies) {
  if (is_blank(line)) return {};
  if (is_command(line)) return run_command(line, {conversation, replies});
  conversation.add_user(std::string(line));
  return {Next::kReply, ""};
}

int chat_loop(Replies& replies, Conversation& conversation) {
  const auto reader = open_line_reader("chat_history", names());
  const bool talks = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  if (talks) fmt::print("{} · /help shows the commands, Ctrl-D leaves\n", replies.model());
  for (;;) {
    std::signal(SIGINT, talks ? SIG_IGN : SIG_DFL);  // a Ctrl-C that comes just behind the end of a reply
    const auto message = read_message(*reader);
    if (!message) break;
    const Turn turn = take_line(*message, conversation, replies);
    if (!turn.notice.empty()) fmt::print("{}\n", turn.notice);
    if (turn.next == Next::kEnd) return 0;
    if (turn.next == Next::kReply && !reply_to(conversation, replies) && !talks) return 1;
  }
  if (talks) fmt::print("\n");
  return 0;
}

int complete_loop(Replies& replies, Settings& settings) {
  const auto reader = open_line_reader("complete_history", {});
  const bool talks = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  if (talks) fmt::print("{} · type the beginning of a text; Ctrl-D leaves\n", replies.model());
  for (;;) {
    std::signal(SIGINT, talks ? SIG_IGN : SIG_DFL);
    const auto text = read_message(*reader);
    if (!text) break;
    if (is_blank(*text)) continue;
    boost::json::object request = settings.fields();
    request["prompt"] = *text;
    const Result<Reply> reply = replies.ask(std::move(request));
    if (!reply) fmt::print(stderr, "{}\n", reply.error().message);
    if (!reply && !talks) return 1;
  }
  if (talks) fmt::print("\n");
  return 0;
}

}  // namespace ingot::cli
