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
  std::optional<std::string> chat_template;   // in place of the model's, where the server trusts requests with it
  std::optional<std::string> continued_text;  // continue_final_message: the last message's text, for cut_to_continue()
  std::string last_role, last_text;           // of the last message, for echo
  std::optional<std::string> reply_role;  // without a generation prompt, the last message's; else the server's choice
  bool add_special_tokens = false;        // when the rendered prompt is tokenised
};

// Any thread. `body` is the raw request body.
Parsed<ChatRequest> parse_chat_request(std::string_view body, const ModelDefaults& model);

// Ends a rendered prompt right behind the last occurrence of the text to be continued, with the text's trailing white
// space where the template kept it. 400 when the template dropped the text.
Parsed<std::string> cut_to_continue(std::string rendered, std::string_view text);

}  // namespace ingot::api
