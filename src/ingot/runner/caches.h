// The arrays that outlive a step: the page pools, each slot's last sampled token and its tokens by position. All are
// changed in place.
#pragma once

#include <vector>

#include "ingot/core/kv_spec.h"
#include "ingot/core/step_plan.h"
#include "ingot/layers/step.h"

namespace ingot {

class Caches {
 public:
  Caches(const std::vector<KvGroup>& groups, int num_blocks, int block_size, int max_num_seqs, int max_model_len);

  // The pools as a step takes them; `block_tables` by group. Page copies of the plan come first.
  std::vector<StepKv> begin(const StepPlan& plan, std::vector<array> block_tables);

  // What the step made of them: the next step goes on from there.
  void end(const std::vector<StepKv>& kv, array last_sampled, array history);

  const array& last_sampled() const { return last_sampled_; }  // int32[max_num_seqs]

  // int32[max_num_seqs, max_model_len]: the tokens of slots whose sampling looks at them.
  const array& history() const { return history_; }

  // After a failed step: forgets the graph that failed. The memory and what earlier steps wrote stay.
  void reset();

 private:
  std::vector<array> pools_, base_pools_;
  array last_sampled_, base_last_sampled_;
  array history_, base_history_;
  int block_size_;
};

}  // namespace ingot
