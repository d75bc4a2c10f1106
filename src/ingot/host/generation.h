// How the model wants to be sampled and where it stops.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <boost/json.hpp>

#include "ingot/base/result.h"
#include "ingot/checkpoint/checkpoint.h"
#include "ingot/core/model_source.h"

namespace ingot {

struct GenerationDefaults {
  boost::json::object sampling;           // temperature, top_p, top_k, min_p, repetition_penalty, max_new_tokens
  std::vector<int32_t> eos_token_ids;     // of config.json (text_config too) and generation_config.json, in any mode
  std::optional<int32_t> max_tokens_cap;  // max_new_tokens of the user's folder or overrides
};

// Follows --generation-config and --override-generation-config (models.md's union of EOS lists; vLLM's rules for the
// rest). Errors: kNotFound, kCorrupt, naming file or key.
Result<GenerationDefaults> read_generation(const ModelSource& source, const Checkpoint& checkpoint);

}  // namespace ingot
