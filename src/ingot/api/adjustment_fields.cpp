// The fields that change logits before a token is chosen, and the one that ends loops.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "ingot/api/lax.h"
#include "ingot/api/python_repr.h"
#include "ingot/api/sampling_context.h"

namespace ingot::api {
namespace {

namespace json = boost::json;

constexpr size_t kMaxBadWords = 128;
constexpr double kMaxBias = 100;
// Penalties beyond this say nothing more, and within it float32 logits stay finite.
constexpr double kStrongestRepetition = 1e4;

Fault read_penalties(const SamplingContext& in, SamplingFields& out) {
  const double repetition = in.fields.number("repetition_penalty").value_or(in.model.repetition_penalty);
  const double frequency = in.fields.number("frequency_penalty").value_or(0);
  const double presence = in.fields.number("presence_penalty").value_or(0);
  const auto fits = [](double penalty) { return penalty >= -2 && penalty <= 2; };  // never for NaN
  if (!fits(presence)) return out_of_range("presence_penalty", "must be in [-2, 2]", python_repr(presence));
  if (!fits(frequency)) return out_of_range("frequency_penalty", "must be in [-2, 2]", python_repr(frequency));
  if (!std::isfinite(repetition) || repetition <= 0) {
    return out_of_range("repetition_penalty", "must be a finite number greater than zero", python_repr(repetition));
  }
  out.params.presence_penalty = static_cast<float>(presence);
  out.params.frequency_penalty = static_cast<float>(frequency);
  out.params.repetition_penalty =
      static_cast<float>(std::clamp(repetition, 1 / kStrongestRepetition, kStrongestRepetition));
  return std::nullopt;
}

std::optional<int64_t> token_id(std::string_view key) {
  int64_t id = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
  if (error != std::errc{} || end != key.data() + key.size()) return std::nullopt;
  return id;
}

Fault read_logit_bias(const SamplingContext& in, SamplingFields& out) {
  const json::object* biases = in.fields.object("logit_bias");
  if (!biases) return std::nullopt;
  Fault fault;
  std::map<int64_t, float> by_id;
  for (const auto& [key, value] : *biases) {
    const auto bias = lax_number(value);
    if (!bias) {
      Location location = in.fields.at("logit_bias");
      location.emplace_back(std::string(key));
      in.fields.errors().add(bias.error().type, location, bias.error().message, value);
      continue;
    }
    const auto id = token_id(key);
    if (id && !std::isnan(*bias)) {
      by_id[*id] = static_cast<float>(std::clamp(*bias, -kMaxBias, kMaxBias));
    } else if (!fault) {
      fault = id ? semantic_error(fmt::format("logit_bias of token {} must be a number, got nan.", *id), "logit_bias")
                 : semantic_error(fmt::format("Found invalid key '{}' in logit_bias: keys must be token ids.",
                                              std::string_view(key)),
                                  "logit_bias", std::string(key));
    }
  }
  if (fault) return fault;
  std::vector<int64_t> ids;
  for (const auto& [id, bias] : by_id) ids.push_back(id);
  if (Fault outside = outside_vocabulary("logit_bias", ids, in.model)) return outside;
  for (const auto& [id, bias] : by_id) out.params.logit_bias.emplace_back(static_cast<int32_t>(id), bias);
  return std::nullopt;
}

Fault read_allowed(const SamplingContext& in, SamplingFields& out) {
  auto ids = in.fields.integers("allowed_token_ids");
  if (!ids) return std::nullopt;
  if (ids->empty() && in.fields.errors().empty()) {
    return semantic_error("allowed_token_ids is not None and empty!", "allowed_token_ids");
  }
  if (Fault fault = outside_vocabulary("allowed_token_ids", *ids, in.model)) return fault;
  std::ranges::sort(*ids);
  const auto repeated = std::ranges::unique(*ids);
  out.params.allowed_token_ids.assign(ids->begin(), repeated.begin());
  return std::nullopt;
}

Fault read_bad_words(const SamplingContext& in, SamplingFields& out) {
  const json::array* words = in.fields.array("bad_words");
  if (!words) return std::nullopt;
  if (words->size() > kMaxBadWords) {
    return semantic_error(
        fmt::format("bad_words has {} entries, more than the maximum of {}.", words->size(), kMaxBadWords),
        "bad_words");
  }
  for (size_t i = 0; i < words->size(); ++i) {
    const auto word = lax_string((*words)[i]);
    if (word) {
      out.bad_words.emplace_back(*word);
      continue;
    }
    Location location = in.fields.at("bad_words");
    location.emplace_back(static_cast<int64_t>(i));
    in.fields.errors().add(word.error().type, location, word.error().message, (*words)[i]);
  }
  if (!std::ranges::any_of(out.bad_words, &std::string::empty)) return std::nullopt;
  return semantic_error("bad_words cannot contain an empty string.", "bad_words");
}

// Comes after the stop ids. That it is no more than max_tokens is api/length.h's to check.
Fault read_min_tokens(const SamplingContext& in, SamplingFields& out) {
  const int64_t min_tokens = in.fields.integer("min_tokens").value_or(0);
  if (min_tokens < 0) {
    return out_of_range("min_tokens", "must be greater than or equal to 0", std::to_string(min_tokens));
  }
  out.params.min_tokens = static_cast<int32_t>(std::min<int64_t>(min_tokens, std::numeric_limits<int32_t>::max()));
  if (min_tokens == 0) return std::nullopt;
  std::vector<int32_t>& late = out.params.late_token_ids = out.params.stop_token_ids;
  late.insert(late.end(), in.model.eos_token_ids.begin(), in.model.eos_token_ids.end());
  late.insert(late.end(), in.model.extra_eos_token_ids.begin(), in.model.extra_eos_token_ids.end());
  return std::nullopt;
}

}  // namespace

Fault read_adjustments(const SamplingContext& in, SamplingFields& out) {
  Fault first;
  for (auto read : {read_penalties, read_logit_bias, read_allowed, read_bad_words, read_min_tokens}) {
    Fault fault = read(in, out);
    if (!first) first = std::move(fault);
  }
  return first;
}

Fault read_repetition_detection(const SamplingContext& in, SamplingFields& out) {
  const json::object* object = in.fields.object("repetition_detection");
  if (!object) return std::nullopt;
  FieldReader fields(*object, in.fields.errors(), in.fields.at("repetition_detection"));
  const int64_t max_size = fields.integer("max_pattern_size").value_or(0);
  const int64_t min_size = fields.integer("min_pattern_size").value_or(0);
  const int64_t min_count = fields.integer("min_count").value_or(0);
  if (min_size < 0 || max_size < min_size) {
    return semantic_error("repetition_detection needs 0 <= min_pattern_size <= max_pattern_size.",
                          "repetition_detection", python_text(*object));
  }
  if (max_size > 0 && min_count < 2) {
    return semantic_error("repetition_detection.min_count must be at least 2.", "repetition_detection",
                          std::to_string(min_count));
  }
  // More than the context holds never repeats.
  const auto bounded = [&](int64_t n) { return static_cast<int32_t>(std::min<int64_t>(n, in.model.max_model_len)); };
  if (min_size > in.model.max_model_len) return std::nullopt;
  out.params.repetition_detection = {.max_pattern_size = bounded(max_size),
                                     .min_pattern_size = std::max(bounded(min_size), 1),
                                     .min_count = std::max(bounded(min_count), 2)};
  return std::nullopt;
}

}  // namespace ingot::api
