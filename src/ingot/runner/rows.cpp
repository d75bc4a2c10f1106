// Slots follow the plan: a start empties one, a planned row lengthens its block tables.
#include "ingot/runner/rows.h"

#include <stdexcept>

namespace ingot {

void Rows::apply(const StepPlan& plan) {
  for (const SlotStart& start : plan.starts) {
    Row& row = rows_.at(index(start.slot));
    row.request = start.request;
    row.sampling = std::make_shared<const SamplingParams>(start.sampling);
    row.num_prompt_tokens = start.num_prompt_tokens;
    row.block_tables.assign(num_kv_groups_, {});
  }
  for (const PlannedRow& planned : plan.rows) {
    Row& row = rows_.at(index(planned.slot));
    if (row.request != planned.request) throw std::logic_error("a planned row names a slot that another request holds");
    for (size_t group = 0; group < planned.new_blocks.size(); ++group) {
      for (const BlockId block : planned.new_blocks[group]) {
        row.block_tables.at(group).push_back(static_cast<int32_t>(block));
      }
    }
  }
}

}  // namespace ingot
