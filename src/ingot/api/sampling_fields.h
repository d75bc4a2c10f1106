// The sampling fields that completions and chat share, validated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ingot/api/error.h"
#include "ingot/api/field_reader.h"
#include "ingot/api/model_defaults.h"
#include "ingot/core/sampling_params.h"

namespace ingot::api {

struct SamplingFields {
  // Complete but for `seed` and `bad_words` (below) and `max_tokens` (api/length.h, once the prompt's length is known).
  // Greedy is temperature 0 with top_p, top_k, min_p reset. EOS ids are in already, unless ignore_eos.
  SamplingParams params;
  std::optional<int64_t> seed;                  // choice i uses seed + i; absent: the server draws one
  std::optional<int64_t> max_tokens;            // ≥ 1; absent: as much as fits
  std::string max_tokens_field = "max_tokens";  // the name under which it came, for messages
  int32_t n = 1;                                // choices a prompt
  // use_beam_search, with n beams: of the other fields only temperature, max_tokens, ignore_eos, logprobs and what
  // shapes the text are left.
  std::optional<double> beam_length_penalty;

  std::vector<std::string> stop;  // at most 4, none empty
  bool include_stop_str_in_output = false;
  bool skip_special_tokens = true;
  std::vector<std::string> bad_words;  // at most 128, none empty; the server makes tokens of them

  bool echo = false;         // completions: the prompt before the output; chat: the last message, if the role fits
  bool prompt_only = false;  // echo with max_tokens 0: one token is generated all the same, and dropped
};

enum class Endpoint { kCompletions, kChat };

// JSON types are judged by `fields` (schema errors gather there and outrank the result), ranges by the result.
// spaces_between_special_tokens is accepted and, as with every Hugging Face fast tokenizer, changes nothing.
Parsed<SamplingFields> read_sampling_fields(FieldReader& fields, Endpoint endpoint, const ModelDefaults& model);

}  // namespace ingot::api
