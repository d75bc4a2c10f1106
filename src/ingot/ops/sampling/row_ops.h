// Small data movement of a step: rows to sample, input ids, the tokens that slots sampled last.
#pragma once

#include "ingot/tensor/array.h"

namespace ingot {

// x[T, H] float32, rows[R] int32 → [R, H]. An index of any of the three that is out of range ends the evaluation.
array gather_rows(const array& x, const array& rows);

// A step's input ids, int32[T]: host_ids[t] where slot_of_token[t] is −1, else last_sampled[slot_of_token[t]].
array step_ids(const array& host_ids, const array& slot_of_token, const array& last_sampled);

// last_sampled[slots[r]] = tokens[r], in place: use the result from here on. slots, tokens int32[R].
array store_sampled(const array& last_sampled, const array& slots, const array& tokens);

}  // namespace ingot
