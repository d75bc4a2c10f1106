// The flags of `ingot chat` and `ingot complete`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>

#include "ingot/cli/sampling_flags.h"
#include "ingot/config/command_line.h"
#include "ingot/config/serve_config.h"

namespace ingot::cli {

struct ClientFlags {
  // the server
  std::string url = "http://localhost:8000/v1";
  std::string model_name;  // "" = the first that is served
  std::string api_key;     // "" = none

  // or a model in this process
  bool local = false;
  ServeConfig engine;

  std::optional<std::string> quick;  // one message, then the end; "-" was read from standard input
  std::string system_prompt;         // chat
  SamplingFlags sampling;
  bool stats = false;
};

enum class ClientCommand { kChat, kComplete };

Result<std::variant<ClientFlags, HelpText>> parse_client_flags(ClientCommand command,
                                                               std::span<const std::string> arguments);

}  // namespace ingot::cli
