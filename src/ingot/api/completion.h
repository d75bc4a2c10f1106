// The body of POST /v1/completions as a validated value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ingot/api/error.h"
#include "ingot/api/model_defaults.h"
#include "ingot/api/request_options.h"
#include "ingot/api/sampling_fields.h"

namespace ingot::api {

using Prompt =
    std::variant<std::string, std::vector<int32_t>>;  // text (valid UTF-8), or ids below the vocabulary's size

struct CompletionRequest {
  RequestOptions options;
  SamplingFields sampling;      // max_tokens is always set (16 where none is given)
  std::vector<Prompt> prompts;  // 1 … 1024, none empty; choice index in the reply = prompt · n + i
  bool add_special_tokens = true;
};

// Any thread. `body` is the raw request body.
Parsed<CompletionRequest> parse_completion_request(std::string_view body, const ModelDefaults& model);

}  // namespace ingot::api
