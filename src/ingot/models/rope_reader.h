// Rotary frequencies from a config's words: rope_parameters (newer files) or rope_scaling beside rope_theta (older).
#pragma once

#include "ingot/core/model_config.h"
#include "ingot/models/config_reader.h"

namespace ingot {

struct RopeShape {
  int head_dim = 0;
  double default_theta = 1e4;  // where the config names none
  int max_position_embeddings = 0;
};

struct ReadRope {
  RopeConfig rope;
  double max_model_len = 0;  // positions that the scaling reaches
};

// The rope of one kind of layers ("full_attention", "sliding_attention"): rope_parameters may hold an object for each.
// Frequencies are computed in double as transformers' modeling_rope_utils does in float32, with two choices that must
// not change within a sequence, made as vLLM makes them:
//   dynamic   the frequencies of max_position_embeddings · factor tokens, whatever the sequence's length
//   longrope  both lists are kept; RopeConfig::frequencies() takes the long one iff max_model_len is beyond the
//             original context
// Also read: {"rope_type": "factors", "factors": […]}, by which GGUF files carry inv_freq's divisors. Faults go to
// `reader`; a kind or key that changes numbers and is not read is refused by name.
ReadRope read_rope(ConfigReader& reader, std::string_view layer_type, const RopeShape& shape);

// Leaves every channel as it is.
RopeConfig no_rope();

}  // namespace ingot
