// Whole (not streamed) reply bodies: every field present, nulls included, in vLLM's key order.
#pragma once

#include <span>
#include <string>

#include "ingot/api/reply.h"

namespace ingot::api {

// At least one choice; its prompt_logprobs are the reply's.
std::string chat_body(const ReplyHead& head, std::span<const Choice> choices, const Usage& usage,
                      const PromptEcho& prompt = {});
std::string completion_body(const ReplyHead& head, std::span<const Choice> choices, const Usage& usage);

}  // namespace ingot::api
