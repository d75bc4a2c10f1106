// Logprobs in both shapes, usage, and the reasons for an end.
#include "ingot/api/reply_json.h"

#include <string>
#include <unordered_set>
#include <vector>

#include "ingot/api/utf8.h"

namespace ingot::api {
namespace {

constexpr float kFloor = -9999.0f;  // stands for −∞, which JSON cannot say

std::string shown(const ReplyHead& head, const LogprobToken& token) {
  return head.tokens_as_token_ids ? "token_id:" + std::to_string(token.id) : token.text;
}

float floored(float logprob) { return logprob > kFloor ? logprob : kFloor; }  // NaN too becomes the floor

// The map of a position as vLLM orders it: the sampled token, then the best ones by rank; at most `limit` (−1 = all).
std::vector<const LogprobToken*> listed(const TokenLogprob& token, int32_t limit) {
  const size_t most = limit < 0 ? token.best.size() + 1 : static_cast<size_t>(limit);
  std::vector<const LogprobToken*> out;
  if (most > 0) out.push_back(&token.sampled);
  for (const LogprobToken& other : token.best) {
    if (out.size() >= most) break;
    if (other.id != token.sampled.id) out.push_back(&other);
  }
  return out;
}

void write_chat_token(JsonWriter& out, const ReplyHead& head, const LogprobToken& token) {
  out.string("token", shown(head, token)).key("logprob").number(floored(token.logprob));
  out.key("bytes").open_array();
  for (char byte : token.text) out.integer(static_cast<uint8_t>(byte));
  out.close_array();
}

std::string_view name_of(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kAbort:
      return "abort";
    case FinishReason::kRepetition:
      return "repetition";
    case FinishReason::kError:
      break;
  }
  return "error";
}

}  // namespace

void write_chat_logprobs(JsonWriter& out, const ReplyHead& head, std::span<const TokenLogprob> tokens) {
  out.open_object().key("content").open_array();
  for (const TokenLogprob& token : tokens) {
    write_chat_token(out.open_object(), head, token.sampled);
    out.key("top_logprobs").open_array();
    for (const LogprobToken* other : listed(token, head.num_logprobs)) {
      write_chat_token(out.open_object(), head, *other);
      out.close_object();
    }
    out.close_array().close_object();
  }
  out.close_array().close_object();
}

int64_t write_completion_logprobs(JsonWriter& out, const ReplyHead& head, std::span<const TokenLogprob> tokens,
                                  int64_t text_offset) {
  out.open_object().key("text_offset").open_array();
  for (const TokenLogprob& token : tokens) {
    out.integer(text_offset);
    text_offset += count_code_points(shown(head, token.sampled));
  }
  out.close_array().key("token_logprobs").open_array();
  for (const TokenLogprob& token : tokens) token.known ? out.number(floored(token.sampled.logprob)) : out.null();
  out.close_array().key("tokens").open_array();
  for (const TokenLogprob& token : tokens) out.string(shown(head, token.sampled));
  out.close_array().key("top_logprobs").open_array();
  const int32_t limit = head.num_logprobs < 0 ? -1 : head.num_logprobs + 1;
  std::unordered_set<std::string> names;  // two ids may decode to one text: the more probable keeps the key
  for (const TokenLogprob& token : tokens) {
    if (!token.known) {
      out.null();
      continue;
    }
    names.clear();
    out.open_object();
    for (const LogprobToken* other : listed(token, limit)) {
      const auto [name, fresh] = names.insert(shown(head, *other));
      if (fresh) out.key(*name).number(floored(other->logprob));
    }
    out.close_object();
  }
  out.close_array().close_object();
  return text_offset;
}

void write_prompt_logprobs(JsonWriter& out, const std::optional<std::vector<TokenLogprob>>& tokens) {
  if (!tokens) {
    out.null();
    return;
  }
  const auto write = [&](const LogprobToken& token, int64_t rank) {
    out.key(std::to_string(token.id)).open_object().key("logprob").number(floored(token.logprob));
    out.integer("rank", rank).string("decoded_token", token.text).close_object();
  };
  out.open_array();
  for (const TokenLogprob& token : *tokens) {
    if (!token.known) {
      out.null();
      continue;
    }
    out.open_object();
    write(token.sampled, token.rank);
    for (size_t i = 0; i < token.best.size(); ++i) {
      if (token.best[i].id != token.sampled.id) write(token.best[i], static_cast<int64_t>(i) + 1);
    }
    out.close_object();
  }
  out.close_array();
}

void write_token_ids(JsonWriter& out, const std::optional<std::vector<int32_t>>& ids) {
  if (!ids) {
    out.null();
    return;
  }
  out.open_array();
  for (int32_t id : *ids) out.integer(id);
  out.close_array();
}

void write_finish_reason(JsonWriter& out, const std::optional<FinishReason>& reason) {
  reason ? out.string(name_of(*reason)) : out.null();
}

void write_stop_reason(JsonWriter& out, const StopReason& reason) {
  if (const auto* id = std::get_if<int32_t>(&reason)) {
    out.integer(*id);
  } else if (const auto* text = std::get_if<std::string>(&reason)) {
    out.string(*text);
  } else {
    out.null();
  }
}

void write_usage(JsonWriter& out, const Usage& usage, bool with_nulls) {
  out.open_object();
  out.integer("prompt_tokens", usage.prompt_tokens);
  out.integer("total_tokens", int64_t{usage.prompt_tokens} + usage.completion_tokens);
  out.integer("completion_tokens", usage.completion_tokens);
  if (usage.cached_tokens) {
    out.key("prompt_tokens_details").open_object().integer("cached_tokens", *usage.cached_tokens);
    if (with_nulls) out.null("created_cache_tokens").null("multimodal_tokens");
    out.close_object();
  } else if (with_nulls) {
    out.null("prompt_tokens_details");
  }
  if (with_nulls) out.null("completion_tokens_details");
  out.close_object();
}

}  // namespace ingot::api
