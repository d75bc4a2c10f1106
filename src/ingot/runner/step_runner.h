// What the engine's loop needs of a runner: steps prepared, launched and collected in order.
#pragma once

#include <stdexcept>

#include "ingot/core/step_plan.h"
#include "ingot/core/step_result.h"

namespace ingot {

// One thread. At most one step is launched and not collected when the next one is prepared.
class StepRunner {
 public:
  virtual ~StepRunner() = default;

  // Takes the plan in: updates the slots and builds the step's graph. Nothing runs yet; needs no token of earlier
  // steps.
  virtual void prepare(const StepPlan& plan) = 0;

  // Starts the prepared step. On a CPU this returns when most of the step has run.
  virtual void launch() = 0;

  // Waits for the oldest launched step. A failed step comes back as StepResult::error; later steps start from clean
  // pools.
  virtual StepResult collect() = 0;

  // Nothing has run for a while and nothing is launched: memory kept for the next step may go back to the system.
  virtual void rest() {}

  // True where a prepared step should be launched before the one ahead of it is collected (GPUs, which queue work).
  virtual bool queues_ahead() const = 0;
};

}  // namespace ingot
