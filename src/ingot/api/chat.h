// The body of POST /v1/chat/completions as a validated value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "ingot/api/error.h"
#include "ingot/api/model_defaults.h"
#include "ingot/api/request_options.h"
#include "ingot/api/sampling_fields.h"

namespace ingot::api {

struct ChatRequest {
  RequestOptions options;
  SamplingFields sampling;
  bool return_prompt_text = false;

  // What the chat template is rendered with, in this order: messages (normalised, api/messages.h), tools (null),
  // documents where given, add_generation_prompt, continue_final_message, reasoning_effort and enable_thinking where
  // given, and the template kwargs. The server adds bos_token and eos_token.
  boost::json::object variables;
  // continue_final_message: the last message's text, after whose last occurrence the rendered prompt is cut.
  std::optional<std::string> continued_text;
  bool add_special_tokens = false;  // when the rendered prompt is tokenised
};

// Any thread. `body` is the raw request body.
Parsed<ChatRequest> parse_chat_request(std::string_view body, const ModelDefaults& model);

}  // namespace ingot::api
