// The choice of one token a row.
//
// Greedy rows take the best logit (lowest id among equals). Others, in this order (api.md §13 j to m):
//   y = logit / temperature; e = exp(y − max y)
//   min_p   drops e < min_p
//   top_k   keeps y ≥ the k-th best y, ties included
//   top_p   in descending order (equals: lower id first) keeps a token while the e before it sum to < top_p · Σ e of
//           those left, that bound rounded to float32; so the ascending cumulative ≤ 1 − p is cut, and the best stays
//   draw    argmax e / E, E = −ln u ~ Exp(1)
// The noise is a pure function of (seed, output index, token id), so a draw depends on nothing else in the batch:
//   (k0, k1) = splitmix64(seed + 0x9E3779B97F4A7C15 · (output_index + 1)), low and high half
//   h = mix(mix(id · 0x9E3779B9 + k0) ^ k1);  mix = lowbias32 (x ^= x >> 16, · 0x7FEB352D, x ^= x >> 15, · 0x846CA68B,
//   x ^= x >> 16);  u = ((h >> 9) + ½) · 2^−23, strictly inside (0, 1) in float32: E is never 0.
#pragma once

#include "ingot/tensor/array.h"

namespace ingot {

struct SampleParams {
  array temperature;   // float32[R]; 0 = greedy
  array top_k;         // int32[R]; 0 = off
  array top_p;         // float32[R]; 1 = off
  array min_p;         // float32[R]; 0 = off
  array seed;          // uint32[R, 2], low word first
  array output_index;  // int32[R]: of the token to be drawn in its request's output
};

// Throws unless logits are float32[R, V] and the parameters as above.
void require(const array& logits, const SampleParams& params);

// logits float32[R, V] → int32[R].
array draw_tokens(const array& logits, const SampleParams& params);

namespace reference {
array draw_tokens(const array& logits, const SampleParams& params);
}

}  // namespace ingot
