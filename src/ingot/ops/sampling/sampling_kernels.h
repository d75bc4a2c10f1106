// The table of sampling kernels (see ops/cpu/isa.h): passes over one row of logits.
#pragma once

#include <cstdint>

namespace ingot::cpu {

inline constexpr int kChunk = 64;  // elements that share a maximum and a sum; the last chunk of a row may be shorter

constexpr int num_chunks(int n) { return (n + kChunk - 1) / kChunk; }

struct Softening {
  float temperature = 1.0f;
  float top = 0.0f;  // of the logits / temperature
  float min_p = 0.0f;
};

struct ChunkFigures {
  float *maxima, *sums;  // [num_chunks(n)]
};

struct SamplingKernels {
  // The best of each chunk, NaN passed over; −∞ where a chunk has nothing else.
  void (*chunk_max)(const float* x, int n, float* maxima);

  // e = exp(x / temperature − top), 0 where it is below min_p; the best and the sum of each chunk of e. e may be x.
  void (*exp_row)(const float* x, int n, const Softening& how, float* e, const ChunkFigures& chunks);

  int (*count_at_least)(const float* x, int n, float value);

  // The index i of the best e[i] / E(ids[i]), the lowest among equals; ids null means id = i. −1 when no e is above 0.
  // E is the noise of draw_tokens.h under (key_low, key_high). ids are read up to the next multiple of 16.
  int (*draw)(const float* e, const int32_t* ids, int n, uint32_t key_low, uint32_t key_high);
};

}  // namespace ingot::cpu
