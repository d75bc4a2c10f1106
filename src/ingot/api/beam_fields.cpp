// use_beam_search and what goes with it.
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "ingot/api/lax.h"
#include "ingot/api/python_repr.h"
#include "ingot/api/sampling_context.h"

namespace ingot::api {
namespace {

constexpr int32_t kMaxWidth = 256;  // 2 · width² logprobs are in memory at once

}  // namespace

Fault read_beam_search(const SamplingContext& in, SamplingFields& out) {
  const double length_penalty = in.fields.number("length_penalty").value_or(1.0);
  if (!in.fields.boolean("use_beam_search").value_or(false)) return std::nullopt;
  out.beam_length_penalty = length_penalty;
  if (!std::isfinite(length_penalty)) {
    return out_of_range("length_penalty", "must be a finite number", python_repr(length_penalty));
  }
  const boost::json::value* stream = in.fields.value("stream");
  if (in.endpoint == Endpoint::kCompletions && stream && lax_boolean(*stream) == true) {
    return semantic_error("Streaming is not currently supported with beam search", "stream");
  }
  return std::nullopt;
}

Fault settle_beam_search(const SamplingContext& in, SamplingFields& out) {
  if (!out.beam_length_penalty) return std::nullopt;
  if (!out.params.logprob_token_ids.empty()) {
    return semantic_error("`logprob_token_ids` is not supported with beam search.", "logprob_token_ids");
  }
  const int32_t most = in.model.max_logprobs < 0 ? in.model.vocab_size : in.model.max_logprobs;
  if (out.n > kMaxWidth) {
    return out_of_range("n", fmt::format("must be at most {} with beam search", kMaxWidth), std::to_string(out.n));
  }
  if (2 * out.n > most) {
    return semantic_error(fmt::format("Beam search over {} beams needs {} logprobs, which is greater than max allowed: "
                                      "{}. Start the server with a greater --max-logprobs.",
                                      out.n, 2 * out.n, most),
                          "n", std::to_string(out.n));
  }
  SamplingParams params;
  params.temperature = out.params.temperature;
  params.eos_token_ids = std::move(out.params.eos_token_ids);
  params.num_logprobs = out.params.num_logprobs;
  out.params = std::move(params);
  out.stop.clear();
  out.bad_words.clear();
  return std::nullopt;
}

}  // namespace ingot::api
