// StepPlan + slots → the arrays of a step's forward pass.
#pragma once

#include <optional>
#include <vector>

#include "ingot/core/step_plan.h"
#include "ingot/layers/step.h"
#include "ingot/runner/caches.h"
#include "ingot/runner/rows.h"

namespace ingot {

// Without out_rows. The plan must have been applied to `rows`.
Step gather_step(const StepPlan& plan, const Rows& rows, Caches& caches);

// The slots' histories with this step's tokens (and, for slots that start, those before) of requests that look at them.
array gather_history(const StepPlan& plan, const Rows& rows, const Caches& caches, const array& step_ids);

}  // namespace ingot
