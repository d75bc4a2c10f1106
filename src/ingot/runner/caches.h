// The arrays that outlive a step: the page pools and each slot's last sampled token. All are changed in place.
#pragma once

#include <vector>

#include "ingot/core/kv_spec.h"
#include "ingot/core/step_plan.h"
#include "ingot/layers/step.h"

namespace ingot {

class Caches {
 public:
  Caches(const std::vector<KvGroup>& groups, int num_blocks, int block_size, int max_num_seqs);

  // The pools as a step takes them; `block_tables` by group. Page copies of the plan come first.
  std::vector<StepKv> begin(const StepPlan& plan, std::vector<array> block_tables);

  // What the step made of them: the next step goes on from there.
  void end(const std::vector<StepKv>& kv, array last_sampled);

  const array& last_sampled() const { return last_sampled_; }  // int32[max_num_seqs]

  // After a failed step: forgets the graph that failed. The memory and what earlier steps wrote stay.
  void reset();

 private:
  std::vector<array> pools_, base_pools_;
  array last_sampled_, base_last_sampled_;
  int block_size_;
};

}  // namespace ingot
