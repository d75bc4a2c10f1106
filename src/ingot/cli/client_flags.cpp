// Rows of the client's own; those of the engine come from config/.
#include "ingot/cli/client_flags.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>

#include "ingot/config/serve_flags.h"

namespace ingot::cli {
namespace {

constexpr const char* kServer = "Server";
constexpr const char* kConversation = "Conversation";

void add_server_flags(FlagTable& t, ClientFlags& f) {
  t.value(kServer, "--url", f.url, "Address of the server's API");
  t.value(kServer, "--model-name", f.model_name, "Model to ask. Default: the first that the server names");
  t.value(kServer, "--api-key", f.api_key, "Key to send. Default: $OPENAI_API_KEY");
}

void add_conversation_flags(ClientCommand command, FlagTable& t, ClientFlags& f) {
  if (command == ClientCommand::kChat)
    t.value(kConversation, "--system-prompt", f.system_prompt, "The message of the system role");
  t.value(kConversation, "-q,--quick", f.quick, "Send this one text, print the reply and end; -: from standard input");
  t.flag(kConversation, "--stats", f.stats, "Show tokens and times after each reply");
  t.value(kConversation, "--max-tokens", f.sampling.max_tokens, "Most tokens of a reply");
  t.list(kConversation, "--stop", f.sampling.stop, "TEXT", "Texts that end a reply");
}

constexpr const char* kChatExamples =
    "Examples:\n"
    "  ingot chat                                  with the server on this machine\n"
    "  ingot chat --local                          with the default model, in this process\n"
    "  ingot chat model.gguf                       with a model, in this process\n"
    "  ingot chat --url https://api.example.com/v1 --api-key KEY\n"
    "  ingot chat -q 'Name three rivers.' --temperature 0\n"
    "  git diff | ingot chat --system-prompt 'Review this.' -q -";

constexpr const char* kCompleteExamples =
    "Examples:\n"
    "  ingot complete                              with the server on this machine\n"
    "  ingot complete --local -q 'Once upon a time' --max-tokens 64\n"
    "  cat story.txt | ingot complete -q -";

std::string read_all_input() { return {std::istreambuf_iterator<char>(std::cin), {}}; }

// Whether the command line itself holds this flag or value.
bool is_written(std::span<const std::string> arguments, const std::string& word) {
  return std::ranges::any_of(arguments, [&](const std::string& argument) {
    return argument == word || argument.starts_with(word + "=") || argument.ends_with("=" + word);
  });
}

}  // namespace

Result<std::variant<ClientFlags, HelpText>> parse_client_flags(ClientCommand command,
                                                               std::span<const std::string> arguments) {
  const bool chats = command == ClientCommand::kChat;
  ClientFlags f;
  CLI::App app(chats ? "Chats with a model: behind a server, or in this process where a model is given."
                     : "Lets a model go on with a text: behind a server, or in this process where a model is given.",
               chats ? "ingot chat" : "ingot complete");
  FlagTable table(app);
  add_conversation_flags(command, table, f);
  add_server_flags(table, f);
  add_sampling_flags(table, f.sampling);
  table.flag("Model in this process", "--local", f.local, "Run a model in this process, the default one or MODEL");
  add_engine_flags(app, f.engine);
  app.get_option("--seed")->description("The same seed and request give the same reply")->default_str("");
  app.footer(chats ? kChatExamples : kCompleteExamples);

  auto help = parse_command_line(app, arguments);
  if (!help) return std::unexpected(help.error());
  if (*help) return std::move(**help);
  if (app.count("--seed") > 0) f.sampling.seed = static_cast<int64_t>(f.engine.source.seed);
  // In the environment or a file, a model is what a server serves; a client runs it when it is told so.
  f.local |= !f.engine.source.model.empty() && is_written(arguments, f.engine.source.model);
  if (f.local && is_written(arguments, "--url"))
    return fail(ErrorCode::kInvalidArgument, "a model in this process (MODEL, --local) and --url exclude each other");
  const char* key = std::getenv("OPENAI_API_KEY");
  if (f.api_key.empty() && key) f.api_key = key;
  if (f.quick == "-") {
    f.quick = read_all_input();
    if (f.quick->ends_with('\n')) f.quick->pop_back();
  }
  return f;
}

}  // namespace ingot::cli
