// The bodies of POST /tokenize and POST /detokenize, and their replies. A /tokenize body with `messages` is a chat's
// (api/chat.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingot/api/error.h"
#include "ingot/api/model_defaults.h"

namespace ingot::api {

struct TokenizeRequest {
  std::optional<std::string> prompt;  // valid UTF-8, may be ""; nothing: the body is a chat's
  bool add_special_tokens = true;     // of the prompt form
  bool return_token_strs = false;
};

// Any thread. 400 when a body has neither prompt nor messages; 404 for an unknown model.
Parsed<TokenizeRequest> parse_tokenize_request(std::string_view body, const ModelDefaults& model);

// The ids; ids that no vocabulary can have are refused, those merely unknown to this one stand for no text.
Parsed<std::vector<int32_t>> parse_detokenize_request(std::string_view body, const ModelDefaults& model);

// {"count","max_model_len","tokens","token_strs"}; `pieces`: as stored in the vocabulary, null when not asked for.
std::string tokenize_body(std::span<const int32_t> ids, const std::optional<std::vector<std::string>>& pieces,
                          int32_t max_model_len);
// {"prompt"}
std::string detokenize_body(std::string_view text);

}  // namespace ingot::api
