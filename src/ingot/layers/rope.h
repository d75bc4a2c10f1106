// Rotary positions of one kind: a decoder computes each kind's table once a step.
#pragma once

#include "ingot/core/model_config.h"
#include "ingot/layers/step.h"
#include "ingot/ops/rope/rope.h"

namespace ingot {

class Rope {
 public:
  // For a server whose requests reach `max_model_len` tokens.
  Rope(const RopeConfig& c, int max_model_len)
      : inv_freq_(from_host(std::span<const float>(c.frequencies(max_model_len)))),
        scale_{.factor = c.scale},
        query_scale_{c.scale, c.query_growth, c.query_period} {}

  RopeTables operator()(const array& positions) const {
    RopeTables tables{rope_table(positions, inv_freq_, scale_), {}};
    if (query_scale_.growth != 0.0f) tables.queries = rope_table(positions, inv_freq_, query_scale_);
    return tables;
  }

 private:
  array inv_freq_;  // float32[rotated pairs]
  RopeScale scale_, query_scale_;
};

}  // namespace ingot
