// What request parsing must know of the served model. Filled by the host once a model is open; plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

namespace ingot::api {

// How the chat template wants a message's content: one text, or the list of parts ("openai").
enum class ContentFormat { kString, kParts };

struct ChatDefaults {
  ContentFormat content_format = ContentFormat::kString;
  bool trusts_request_template = false;  // --trust-request-chat-template: a request may bring its own
  bool has_developer_role = false;       // false: role developer is given to the template as system
  boost::json::object template_kwargs;   // --default-chat-template-kwargs, under the request's
};

struct ModelDefaults {
  std::vector<std::string> model_names;  // served names; the first is canonical and stands in replies
  int32_t max_model_len = 0;             // prompt + output tokens
  int32_t vocab_size = 0;                // ids that the logits cover
  int32_t max_logprobs = 20;             // −1 = no cap

  // From generation_config; a request's null takes these.
  double temperature = 1.0, top_p = 1.0, min_p = 0.0, repetition_penalty = 1.0;
  int32_t top_k = 0;
  std::optional<int32_t> max_new_tokens;  // max_tokens where a chat request gives none
  std::optional<int32_t> max_tokens_cap;  // never more than this, whatever is asked

  std::vector<int32_t> eos_token_ids;        // end with stop_reason null
  std::vector<int32_t> extra_eos_token_ids;  // further ids of generation_config: end with stop_reason = the id
  bool truncates_left = false;               // the tokenizer's side, for truncate_prompt_tokens without truncation_side
  ChatDefaults chat;
};

}  // namespace ingot::api
