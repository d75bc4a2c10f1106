// One step as models and layers see it: a ragged batch of tokens, prefill chunks and decodes mixed.
#pragma once

#include <optional>
#include <vector>

#include "ingot/tensor/array.h"

namespace ingot {

// Pages and block tables of one KV group. Each attention layer replaces `pool` by what it returns: the chain of
// in-place writes is the graph's order.
struct StepKv {
  array pool;
  array block_table;  // int32[rows, max_blocks]
  int block_size = 0;
};

// Angles of the step's tokens by one kind of rope: rope_table().
struct RopeTables {
  array keys;
  std::optional<array> queries;  // where theirs differ
};

// T tokens of R rows; everything that may depend on an unread token is an array.
struct Step {
  array ids;                      // int32[T]
  array positions;                // int32[T]
  array query_start;              // int32[R + 1]: row r owns tokens query_start[r] … query_start[r+1] − 1
  array context_len;              // int32[R]: the row's tokens in the pool after this step
  std::vector<StepKv> kv;         // by KV group
  std::optional<array> out_rows;  // int32[O]: tokens whose last hidden state is wanted; absent = all
  std::vector<RopeTables> ropes;  // by rope kind, set by the decoder at its start
};

}  // namespace ingot
