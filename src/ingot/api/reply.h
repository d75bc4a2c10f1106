// What the serving side knows of a reply; response.h and chunk.h turn it into JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ingot/core/token_event.h"

namespace ingot::api {

// Constant over one reply, and equal in all of its chunks.
struct ReplyHead {
  std::string id;                    // api/reply_id.h
  int64_t created = 0;               // Unix seconds
  std::string model;                 // the canonical served name
  std::string system_fingerprint;    // "" = null
  int32_t num_logprobs = 0;          // k that the client asked for; −1 = all that there are
  bool tokens_as_token_ids = false;  // logprobs name tokens as "token_id:N"
  std::string role = "assistant";    // chat
};

// One token of a logprobs list, with its own text ("" where its bytes are no text).
struct LogprobToken {
  int32_t id = 0;
  std::string text;
  float logprob = 0.0f;
};

struct TokenLogprob {
  LogprobToken sampled;
  std::vector<LogprobToken> best;  // the k best, best first; may hold the sampled token again
  int32_t rank = 1;                // of the sampled one
  bool known = true;               // false: a prompt's first token, which nothing predicts
};

// Why a choice ended: nothing to tell (EOS, length), a stop token's id, a stop string (or "repetition_detected").
using StopReason = std::variant<std::monostate, int32_t, std::string>;

// All of a choice (plain reply), or what is new of it (chunk).
struct Choice {
  int32_t index = 0;
  std::string text;                                          // need not be valid UTF-8: bad bytes become U+FFFD
  std::optional<std::vector<TokenLogprob>> logprobs;         // when asked for; one per token
  std::optional<FinishReason> finish_reason;                 // set in a plain reply and in a choice's last chunk
  StopReason stop_reason;                                    // looked at only with finish_reason
  std::optional<std::vector<int32_t>> token_ids;             // with return_token_ids
  std::optional<std::vector<TokenLogprob>> prompt_logprobs;  // plain reply, when asked for; one per prompt token
  std::optional<std::vector<int32_t>> prompt_token_ids;  // with return_token_ids; completions: plain, and first chunk
};

struct Usage {
  int32_t prompt_tokens = 0;                  // of all prompts
  int32_t completion_tokens = 0;              // of all choices
  std::optional<int32_t> cached_tokens = {};  // --enable-prompt-tokens-details
};

// The prompt as a chat reply may show it: in the body, or in the role chunks.
struct PromptEcho {
  std::optional<std::vector<int32_t>> token_ids;  // with return_token_ids
  std::optional<std::string> text;                // with return_prompt_text
};

}  // namespace ingot::api
