// The fields around sampling that completions and chat share: model, streaming, identity, what the reply shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ingot/api/error.h"
#include "ingot/api/field_reader.h"
#include "ingot/api/model_defaults.h"

namespace ingot::api {

struct RequestOptions {
  std::string model;  // the served name asked for; null or "" give the canonical one
  bool stream = false;
  bool include_usage = false;           // a last chunk with usage
  bool continuous_usage_stats = false;  // and usage in every chunk

  std::optional<std::string> request_id;  // X-Request-Id wins over it
  int64_t priority = 0;                   // X-Vllm-Priority wins over it
  std::string cache_salt;                 // "" = none

  std::optional<int32_t> truncate_prompt_tokens;  // ≥ 0 ids that are kept at most; −1: as many as leave the output room
  bool truncates_left = false;                    // the first ids go
  int64_t stream_interval = 1;  // ≥ 1 tokens of a choice that a chunk waits for, but the first and last

  bool return_token_ids = false;            // prompt_token_ids and token_ids in the reply
  bool return_tokens_as_token_ids = false;  // logprobs name tokens as "token_id:N"
};

// Schema errors gather in `fields`; the rest are returned (unknown model: 404).
Parsed<RequestOptions> read_request_options(FieldReader& fields, const ModelDefaults& model);

}  // namespace ingot::api
