// The runner's memory of each slot between steps: whose it is, how it samples, which pages it reads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ingot/core/step_plan.h"

namespace ingot {

struct Row {
  RequestId request{};
  std::shared_ptr<const SamplingParams> sampling;  // outlives the slot while a step in flight uses it
  int32_t num_prompt_tokens = 0;
  std::vector<std::vector<int32_t>> block_tables;  // by KV group, page numbers in token order
};

class Rows {
 public:
  Rows(int max_num_seqs, int num_kv_groups) : rows_(max_num_seqs), num_kv_groups_(num_kv_groups) {}

  // Applies a plan's starts and new blocks. Throws std::out_of_range or std::logic_error on a plan that contradicts
  // itself.
  void apply(const StepPlan& plan);

  const Row& operator[](SlotId slot) const { return rows_.at(index(slot)); }

 private:
  std::vector<Row> rows_;
  int num_kv_groups_;
};

}  // namespace ingot
