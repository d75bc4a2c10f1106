// Opens the backend, then one reply or a loop of them.
#include "ingot/cli/client.h"

#include <csignal>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "ingot/base/log.h"
#include "ingot/cli/chat_loop.h"
#include "ingot/cli/client_flags.h"
#include "ingot/cli/local_backend.h"
#include "ingot/cli/remote_backend.h"

namespace ingot::cli {
namespace {

constexpr int kWrongFlags = 2;
constexpr int kInterrupted = 130;

int report(const char* command, const Error& error, int code = 1) {
  fmt::print(stderr, "ingot {}: {}\n", command, error.message);
  return code;
}

Result<std::unique_ptr<Backend>> open_backend(const ClientFlags& flags, const OpenLocalModel& open_model) {
  if (flags.local) {
    log::init("warning");
    if (isatty(STDERR_FILENO)) fmt::print(stderr, "loading the model …\r");
    auto model = open_model(flags.engine);
    if (isatty(STDERR_FILENO)) fmt::print(stderr, "\033[K");
    if (!model) return std::unexpected(model.error());
    return std::make_unique<LocalBackend>(std::move(*model));
  }
  auto url = parse_url(flags.url);
  if (!url) return std::unexpected(url.error());
  return std::make_unique<RemoteBackend>(std::move(*url), flags.api_key);
}

int answer_once(Replies& replies, boost::json::object request) {
  const Result<Reply> reply = replies.ask(std::move(request));
  if (!reply) return report(replies.command(), reply.error());
  return reply->interrupted ? kInterrupted : 0;
}

int chat(Replies& replies, const ClientFlags& flags) {
  Conversation conversation(flags.system_prompt, Settings(request_fields(flags.sampling)));
  if (!flags.quick) return chat_loop(replies, conversation);
  conversation.add_user(*flags.quick);
  return answer_once(replies, conversation.request());
}

int complete(Replies& replies, const ClientFlags& flags) {
  Settings settings(request_fields(flags.sampling));
  if (!flags.quick) return complete_loop(replies, settings);
  boost::json::object request = settings.fields();
  request["prompt"] = *flags.quick;
  return answer_once(replies, std::move(request));
}

int run(ClientCommand command, std::span<const std::string> arguments, const OpenLocalModel& open_model) {
  const bool chats = command == ClientCommand::kChat;
  const char* name = chats ? "chat" : "complete";
  const auto parsed = parse_client_flags(command, arguments);
  if (!parsed) return report(name, parsed.error(), kWrongFlags);
  if (const auto* help = std::get_if<HelpText>(&*parsed)) {
    fmt::print("{}", help->text);
    return 0;
  }
  const auto& flags = std::get<ClientFlags>(*parsed);
  const auto backend = open_backend(flags, open_model);
  if (!backend) return report(name, backend.error());
  const auto model = flags.model_name.empty() ? (*backend)->default_model() : flags.model_name;
  if (!model) return report(name, model.error());
  Replies replies(**backend, chats ? api::Endpoint::kChat : api::Endpoint::kCompletions, *model);
  replies.show_stats(flags.stats);
  return chats ? chat(replies, flags) : complete(replies, flags);
}

}  // namespace

int run_chat(std::span<const std::string> arguments, const OpenLocalModel& open_model) {
  return run(ClientCommand::kChat, arguments, open_model);
}

int run_complete(std::span<const std::string> arguments, const OpenLocalModel& open_model) {
  return run(ClientCommand::kComplete, arguments, open_model);
}

}  // namespace ingot::cli
