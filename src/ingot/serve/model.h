// The model that a Service answers for: what turns requests into ids and ids into replies. Filled when a model is open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ingot/api/model_defaults.h"
#include "ingot/text/chat_template.h"
#include "ingot/text/tokenizer.h"

namespace ingot::serve {

struct ServedModel {
  api::ModelDefaults defaults;  // names, lengths, generation defaults, EOS ids
  std::string root;             // path or reference that it was opened from
  std::string system_fingerprint;

  std::shared_ptr<const Tokenizer> tokenizer;
  std::shared_ptr<const ChatTemplate> chat_template;  // null: chat requests are refused with 400
  std::string bos_token, eos_token;                   // texts, variables of the template; "" where there is none
  size_t max_token_bytes = 0;                         // no token stands for more text; 0 = not known
  std::string response_role = "assistant";
  uint64_t seed = 0;  // of the seeds of requests that name none

  bool prompt_tokens_details = false;  // usage names cached prompt tokens
  bool force_include_usage = false;    // every stream reports usage, in every chunk
};

}  // namespace ingot::serve
