// StepPlan + slots → the arrays of a step.
#pragma once

#include <vector>

#include "ingot/core/step_plan.h"
#include "ingot/layers/step.h"
#include "ingot/ops/sampling/draw_tokens.h"
#include "ingot/runner/caches.h"
#include "ingot/runner/rows.h"

namespace ingot {

// A row whose token is sampled, as the result will need it.
struct SamplingRow {
  RequestId request{};
  int32_t num_logprobs = -1;  // −1: none; a wish for all is the vocabulary's size
};

struct GatheredStep {
  Step step;
  std::vector<SamplingRow> sampling;  // in the order of step.out_rows
  SampleParams params;                // of these rows
  array slots;                        // int32[O]: theirs
};

// The plan must have been applied to `rows`.
GatheredStep gather(const StepPlan& plan, const Rows& rows, Caches& caches, int vocab_size);

}  // namespace ingot
