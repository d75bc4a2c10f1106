// Linear's CPU kernels driven over threads, on plain buffers.
#pragma once

#include <cstdint>

#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/cpu/thread_pool.h"
#include "ingot/tensor/weight_format.h"

namespace ingot::cpu {

struct LinearShape {
  WeightFormat format;
  int num_rows, in_features, out_features;
};

struct LinearWeight {
  const uint8_t* panels;
  const float* bias = nullptr;  // [out]; null: none
};

// y[num_rows][out] = x[num_rows][in] · Wᵀ + bias. The bits of y depend neither on the pool's size nor on the
// instruction set. Scratch: cpu::workspace(), at most about 1.3 · 1024 · in_features bytes.
void run_linear(const LinearShape& shape, const float* x, const LinearWeight& weight, float* y, ThreadPool& pool,
                Isa isa);

}  // namespace ingot::cpu
