// Draw, then look up what the draw's probabilities were.
#include "ingot/sample/sample.h"

namespace ingot {

Sampled sample(const array& logits, const array& adjusted, const SampleParams& params, int num_logprobs) {
  Sampled sampled{.token = draw_tokens(adjusted, params), .logprobs = std::nullopt};
  if (num_logprobs >= 0) sampled.logprobs = token_logprobs(logits, sampled.token, num_logprobs);
  return sampled;
}

}  // namespace ingot
