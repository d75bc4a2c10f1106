// How many logprobs a request asks for: of its output, of given ids, of its prompt.
#include <string>

#include <fmt/format.h>

#include "ingot/api/lax.h"
#include "ingot/api/sampling_context.h"

namespace ingot::api {
namespace {

constexpr size_t kMaxLogprobIds = 128;

bool is_true(const SamplingContext& in, std::string_view field) {
  const boost::json::value* value = in.fields.value(field);
  return value && lax_boolean(*value) == true;
}

Fault too_few(std::string_view field, int64_t k) {
  return semantic_error(fmt::format("`{}` must be a positive value or -1.", field), field, std::to_string(k));
}

// k as asked for → as SamplingParams has it. `what`: "sample" or "prompt", for the message.
Parsed<int32_t> bounded(const SamplingContext& in, std::string_view field, std::string_view what, int64_t k) {
  const int64_t asked = k == -1 ? in.model.vocab_size : k;
  if (in.model.max_logprobs != -1 && asked > in.model.max_logprobs) {
    return std::unexpected(
        semantic_error(fmt::format("Requested {} logprobs of {}, which is greater than max allowed: {}", what, asked,
                                   in.model.max_logprobs),
                       field, std::to_string(asked)));
  }
  return asked >= in.model.vocab_size ? -1 : static_cast<int32_t>(asked);
}

Fault read_logprob_ids(const SamplingContext& in, bool wanted, SamplingFields& out) {
  const auto ids = in.fields.integers("logprob_token_ids");
  if (!ids || ids->empty()) return std::nullopt;
  if (in.endpoint == Endpoint::kChat && !wanted) {
    return semantic_error("when using `logprob_token_ids`, `logprobs` must be set to true.", "logprob_token_ids");
  }
  if (ids->size() > kMaxLogprobIds) {
    return semantic_error(
        fmt::format("logprob_token_ids has {} entries, more than the maximum of {}.", ids->size(), kMaxLogprobIds),
        "logprob_token_ids");
  }
  if (Fault fault = outside_vocabulary("logprob_token_ids", *ids, in.model)) return fault;
  out.params.logprob_token_ids.assign(ids->begin(), ids->end());
  if (!out.params.num_logprobs) out.params.num_logprobs = 0;
  return std::nullopt;
}

}  // namespace

Fault read_logprobs(const SamplingContext& in, SamplingFields& out) {
  const bool chat = in.endpoint == Endpoint::kChat;
  const std::string_view field = chat ? "top_logprobs" : "logprobs";
  const bool wanted = chat ? in.fields.boolean("logprobs").value_or(false) : in.fields.has(field);
  const int64_t k = in.fields.integer(field).value_or(0);
  if (k < -1) return too_few(field, k);
  if (!wanted && k != 0) {
    return semantic_error("when using `top_logprobs`, `logprobs` must be set to true.", field);
  }
  if (wanted) {
    const auto num = bounded(in, field, "sample", k);
    if (!num) return num.error();
    out.params.num_logprobs = *num;
  }
  return read_logprob_ids(in, wanted, out);
}

Fault read_prompt_logprobs(const SamplingContext& in, SamplingFields& out) {
  constexpr std::string_view kField = "prompt_logprobs";
  const bool stream = is_true(in, "stream"), chat = in.endpoint == Endpoint::kChat;
  const auto k = in.fields.integer(kField);
  if (k && *k < -1) return too_few(kField, *k);
  if (k && *k != 0 && stream) {
    return semantic_error("`prompt_logprobs` are not available when `stream=True`.", kField);
  }
  if (k) {
    const auto num = bounded(in, kField, "prompt", *k);
    if (!num) return num.error();
    out.params.num_prompt_logprobs = *num;
  } else if (out.echo) {
    out.params.num_prompt_logprobs = chat ? out.params.num_logprobs.value_or(0) : out.params.num_logprobs;
  }
  // A stream has no place for them but the logprobs of an echoed prompt.
  if (stream && (chat || !out.echo || !out.params.num_logprobs)) out.params.num_prompt_logprobs.reset();
  return std::nullopt;
}

}  // namespace ingot::api
