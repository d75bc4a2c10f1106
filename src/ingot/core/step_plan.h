// What the scheduler asks of the runner for one step. Plain data: no pointers, serialisable.
#pragma once

#include <cstdint>
#include <vector>

#include "ingot/core/ids.h"
#include "ingot/core/sampling_params.h"

namespace ingot {

// A request takes a slot, for the first time or again after preemption. Its block table starts empty.
struct SlotStart {
  SlotId slot{};
  RequestId request{};
  SamplingParams sampling;
  int32_t num_prompt_tokens = 0;
  std::vector<int32_t> cached_ids;  // where sampling.needs_history(): the tokens before the slot's first planned one
};

// One request's part of the ragged batch: positions start … start + num_tokens − 1.
struct PlannedRow {
  SlotId slot{};
  RequestId request{};
  int32_t start = 0;       // tokens whose state is already in the pool
  int32_t num_tokens = 0;  // ≥ 1
  // Ids of these positions that the host knows. One fewer than num_tokens means that the last input is the slot's
  // most recently sampled token, which lives on the device and may not have been read yet.
  std::vector<int32_t> token_ids;
  // By KV group: appended to the slot's block table before the step. The null block stands where a window has passed:
  // no query of this step or a later one looks there.
  std::vector<std::vector<BlockId>> new_blocks;
  // Where sampling asks for prompt logprobs: the prompt tokens that follow the first positions of this row.
  std::vector<int32_t> prompt_targets;
  bool samples = false;      // the last position's logits are sampled
  int32_t output_index = 0;  // of the sampled token; keys the random draw
};

// Page copies run before the forward pass, in order (copy-on-write, checkpoints).
struct BlockCopy {
  int32_t group = 0;
  BlockId from{}, to{};
};

struct StepPlan {
  uint64_t step = 0;  // ascending from 1
  std::vector<SlotStart> starts;
  std::vector<PlannedRow> rows;  // at least one
  std::vector<BlockCopy> copies;

  int32_t num_tokens() const {
    int32_t n = 0;
    for (const PlannedRow& row : rows) n += row.num_tokens;
    return n;
  }
};

}  // namespace ingot
