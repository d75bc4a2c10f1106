// Ranges and words of the sampling fields, as vLLM has them.
#include "ingot/api/sampling_fields.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "ingot/api/python_repr.h"
#include "ingot/api/sampling_context.h"
#include "ingot/api/unsupported_fields.h"

namespace ingot::api {
namespace {

namespace json = boost::json;

constexpr double kGreedyBelow = 1e-5, kMinTemperature = 0.01;
constexpr int64_t kMaxChoices = 16384;
constexpr size_t kMaxStops = 4;
constexpr int64_t kDefaultCompletionTokens = 16;

Fault read_temperature(const SamplingContext& in, SamplingFields& out) {
  const double t = in.fields.number("temperature").value_or(in.model.temperature);
  const std::string shown = python_repr(t);
  if (!std::isfinite(t)) return out_of_range("temperature", "must be a finite number", shown);
  if (t < 0) return out_of_range("temperature", "must be non-negative", shown);
  if (t > 2) return out_of_range("temperature", "must be in [0, 2]", shown);
  out.params.temperature = static_cast<float>(t < kGreedyBelow ? 0.0 : std::max(t, kMinTemperature));
  return std::nullopt;
}

Fault read_cuts(const SamplingContext& in, SamplingFields& out) {
  const double top_p = in.fields.number("top_p").value_or(in.model.top_p);
  const int64_t top_k = in.fields.integer("top_k").value_or(in.model.top_k);
  const double min_p = in.fields.number("min_p").value_or(in.model.min_p);
  const bool top_p_fits = top_p > 0 && top_p <= 1, min_p_fits = min_p >= 0 && min_p <= 1;  // never for NaN
  if (!top_p_fits) return out_of_range("top_p", "must be in (0, 1]", python_repr(top_p));
  if (top_k < -1) return out_of_range("top_k", "must be 0 (disable), or at least 1", std::to_string(top_k));
  if (!min_p_fits) return out_of_range("min_p", "must be in [0, 1]", python_repr(min_p));
  if (out.params.temperature == 0) return std::nullopt;  // greedy: all cuts stay off
  out.params.top_p = std::max(static_cast<float>(top_p), std::numeric_limits<float>::min());
  out.params.top_k = top_k < 0 || top_k >= in.model.vocab_size ? 0 : static_cast<int32_t>(top_k);
  out.params.min_p = static_cast<float>(min_p);
  return std::nullopt;
}

Fault read_choices(const SamplingContext& in, SamplingFields& out) {
  out.seed = in.fields.integer("seed");
  if (out.seed == -1) out.seed.reset();
  const int64_t n = in.fields.integer("n").value_or(1);
  if (n < 1) return out_of_range("n", "must be at least 1", std::to_string(n));
  if (n > kMaxChoices) {
    return out_of_range("n", fmt::format("must be at most {}", kMaxChoices), std::to_string(n));
  }
  if (n > 1 && out.params.temperature == 0 && !out.beam_length_penalty) {
    return out_of_range("n", "must be 1 when using greedy sampling", std::to_string(n));
  }
  out.n = static_cast<int32_t>(n);
  return std::nullopt;
}

Fault read_max_tokens(const SamplingContext& in, SamplingFields& out) {
  out.max_tokens = in.fields.integer("max_tokens");
  if (in.endpoint == Endpoint::kCompletions && !out.max_tokens) out.max_tokens = kDefaultCompletionTokens;
  if (in.endpoint == Endpoint::kChat) {
    if (const auto newer = in.fields.integer("max_completion_tokens")) {
      out.max_tokens = newer;
      out.max_tokens_field = "max_completion_tokens";
    }
  }
  out.echo = in.fields.boolean("echo").value_or(false);
  if (out.echo && in.endpoint == Endpoint::kCompletions && out.max_tokens == 0) {
    out.prompt_only = true;
    out.max_tokens = 1;
  }
  if (out.max_tokens && *out.max_tokens < 1) {
    return out_of_range(out.max_tokens_field, "must be at least 1", std::to_string(*out.max_tokens));
  }
  return std::nullopt;
}

// stop: one string or a list of at most four.
void read_stop_strings(FieldReader& fields, std::vector<std::string>& out) {
  const json::value* stop = fields.value("stop");
  if (!stop) return;
  if (stop->is_string()) {
    out.emplace_back(stop->get_string());
    return;
  }
  if (!stop->is_array())
    return fields.wrong("stop", "string_type", "Input should be a valid string or a list of strings");
  const json::array& items = stop->get_array();
  if (items.size() > kMaxStops) {
    return fields.wrong(
        "stop", "too_long",
        fmt::format("List should have at most {} items after validation, not {}", kMaxStops, items.size()));
  }
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].is_string()) {
      out.emplace_back(items[i].get_string());
      continue;
    }
    Location location = fields.at("stop");
    location.emplace_back(static_cast<int64_t>(i));
    fields.errors().add("string_type", location, "Input should be a valid string", items[i]);
  }
}

Fault read_stops(const SamplingContext& in, SamplingFields& out) {
  read_stop_strings(in.fields, out.stop);
  out.include_stop_str_in_output = in.fields.boolean("include_stop_str_in_output").value_or(false);
  out.skip_special_tokens = in.fields.boolean("skip_special_tokens").value_or(true);
  in.fields.boolean("spaces_between_special_tokens");  // its type alone matters: byte-level text has none between them
  const bool ignore_eos = in.fields.boolean("ignore_eos").value_or(false);
  const std::vector<int64_t> ids = in.fields.integers("stop_token_ids").value_or(std::vector<int64_t>{});

  if (std::ranges::any_of(out.stop, &std::string::empty)) {
    return semantic_error("stop cannot contain an empty string.", "stop");
  }
  if (Fault fault = outside_vocabulary("stop_token_ids", ids, in.model)) return fault;
  out.params.stop_token_ids.assign(ids.begin(), ids.end());
  if (ignore_eos) return std::nullopt;
  out.params.eos_token_ids = in.model.eos_token_ids;
  for (int32_t id : in.model.extra_eos_token_ids) {
    if (std::ranges::count(out.params.stop_token_ids, id) == 0) out.params.stop_token_ids.push_back(id);
  }
  return std::nullopt;
}

Fault read_unsupported(const SamplingContext& in, SamplingFields&) {
  return refuse_unsupported(in.fields, in.endpoint);
}

}  // namespace

Fault out_of_range(std::string_view field, std::string_view rule, const std::string& got) {
  return semantic_error(fmt::format("{} {}, got {}.", field, rule, got), field, got);
}

Fault outside_vocabulary(std::string_view field, std::span<const int64_t> ids, const ModelDefaults& model) {
  json::array outside;
  for (int64_t id : ids) {
    if (id < 0 || id >= model.vocab_size) outside.emplace_back(id);
  }
  if (outside.empty()) return std::nullopt;
  const std::string shown = python_text(outside);
  return semantic_error(fmt::format("token_id(s) {} in {} contain out-of-vocab token ids. Vocabulary size: {}", shown,
                                    field, model.vocab_size),
                        field, shown);
}

Parsed<SamplingFields> read_sampling_fields(FieldReader& fields, Endpoint endpoint, const ModelDefaults& model) {
  const SamplingContext in{fields, endpoint, model};
  SamplingFields out;
  Fault first;
  // All of them run, so that every schema error is gathered; temperature, max_tokens and logprobs come before
  // those that depend on them.
  for (auto read :
       {read_temperature, read_cuts, read_beam_search, read_choices, read_max_tokens, read_stops, read_adjustments,
        read_repetition_detection, read_logprobs, read_prompt_logprobs, read_unsupported, settle_beam_search}) {
    Fault fault = read(in, out);
    if (!first) first = std::move(fault);
  }
  if (first) return std::unexpected(*std::move(first));
  return out;
}

}  // namespace ingot::api
