// The length rule and its words.
#include "ingot/api/length.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace ingot::api {
namespace {

ApiError prompt_too_long(int64_t num_prompt_tokens, int64_t requested, int32_t max_model_len) {
  return semantic_error(
      fmt::format("This model's maximum context length is {} tokens. However, you requested {} output tokens and your "
                  "prompt contains {} input tokens, for a total of {} tokens. Please reduce the length of the input "
                  "prompt or the number of requested output tokens.",
                  max_model_len, requested, num_prompt_tokens, num_prompt_tokens + requested),
      "input_tokens", std::to_string(num_prompt_tokens));
}

}  // namespace

Parsed<int32_t> resolve_max_tokens(int64_t num_prompt_tokens, const SamplingFields& sampling,
                                   const ModelDefaults& model) {
  const int64_t requested = sampling.max_tokens.value_or(0);
  if (requested > model.max_model_len) {
    return std::unexpected(
        semantic_error(fmt::format("{}={} cannot be greater than max_model_len={}. Please request fewer output tokens.",
                                   sampling.max_tokens_field, requested, model.max_model_len),
                       sampling.max_tokens_field, std::to_string(requested)));
  }
  if (num_prompt_tokens < 1) return std::unexpected(semantic_error("The decoder prompt cannot be empty.", "prompt"));
  // Where nothing was requested there must still be room for one token.
  const int64_t room = model.max_model_len - num_prompt_tokens;
  if (room < std::max<int64_t>(requested, 1)) {
    return std::unexpected(prompt_too_long(num_prompt_tokens, std::max<int64_t>(requested, 1), model.max_model_len));
  }
  int64_t tokens = sampling.max_tokens.value_or(model.max_new_tokens.value_or(room));
  if (model.max_tokens_cap) tokens = std::min<int64_t>(tokens, *model.max_tokens_cap);
  tokens = std::clamp<int64_t>(tokens, 1, room);
  if (sampling.params.min_tokens > tokens) {
    return std::unexpected(semantic_error(fmt::format("min_tokens must be less than or equal to max_tokens={}, got {}.",
                                                      tokens, sampling.params.min_tokens),
                                          "min_tokens", std::to_string(sampling.params.min_tokens)));
  }
  return static_cast<int32_t>(tokens);
}

}  // namespace ingot::api
