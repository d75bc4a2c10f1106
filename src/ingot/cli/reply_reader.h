// What comes back for a completion or a chat, read piece by piece.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ingot/base/result.h"

namespace ingot::cli {

// What one chunk of a stream (or a whole reply) says.
struct ReplyPiece {
  std::string text;           // of the first choice: its content, or its reasoning where there is no content
  std::string finish_reason;  // "" while the choice goes on
  std::optional<int64_t> prompt_tokens, completion_tokens;  // where usage is reported
};

// Errors: the server's own message where the JSON is an error; kCorrupt where it is no reply at all.
Result<ReplyPiece> read_reply(std::string_view json);

// The message of a reply with a status other than 200, with a remedy where there is one.
Error read_refusal(int status, std::string_view body);

}  // namespace ingot::cli
