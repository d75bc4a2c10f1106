// The pieces that whole replies and chunks have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ingot/api/json_writer.h"
#include "ingot/api/reply.h"

namespace ingot::api {

// Each writes one value; `out` stands where a value may stand.
void write_chat_logprobs(JsonWriter& out, const ReplyHead& head, std::span<const TokenLogprob> tokens);
// `text_offset`: characters before the first of these tokens. Returns the characters up to and with the last one.
int64_t write_completion_logprobs(JsonWriter& out, const ReplyHead& head, std::span<const TokenLogprob> tokens,
                                  int64_t text_offset);
// [null, {"id": {"logprob", "rank", "decoded_token"}}, …]; null when absent.
void write_prompt_logprobs(JsonWriter& out, const std::optional<std::vector<TokenLogprob>>& tokens);
void write_token_ids(JsonWriter& out, const std::optional<std::vector<int32_t>>& ids);  // null when absent
void write_finish_reason(JsonWriter& out, const std::optional<FinishReason>& reason);   // null when absent
void write_stop_reason(JsonWriter& out, const StopReason& reason);
void write_usage(JsonWriter& out, const Usage& usage, bool with_nulls);

}  // namespace ingot::api
