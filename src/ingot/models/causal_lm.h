// A decoder as the runner sees it.
#pragma once

#include <vector>

#include "ingot/core/kv_spec.h"
#include "ingot/layers/step.h"

namespace ingot {

// Built and used on the engine thread. Methods only add to the graph; MLX evaluates later.
class CausalLm {
 public:
  virtual ~CausalLm() = default;

  // Final-normed hidden states of step.out_rows (of all tokens when absent): float32[O, hidden]. Leaves the pools of
  // this step in step.kv.
  virtual array hidden(Step& step) const = 0;

  virtual array logits(const array& hidden) const = 0;  // float32[O, hidden] → float32[O, vocabulary]

  virtual std::vector<KvSpec> kv_spec() const = 0;  // by layer
};

}  // namespace ingot
