// What this machine can do at best: the limits that kernels are measured against.
#pragma once

#include <cstddef>

#include "ingot/ops/cpu/thread_pool.h"

namespace ingot::cpu {

// Operations per second (a multiply and an add are two) over all threads of the pool, from independent accumulators in
// registers; 0 when the machine lacks the instruction.
double peak_dot_i16(ThreadPool& pool);  // vpdpwssd, 512 bits
double peak_dot_i8(ThreadPool& pool);   // vpdpbusd, 512 bits
double peak_fma_f32(ThreadPool& pool);  // vfmadd, 512 bits

// Bytes per second that the pool's threads read from a buffer of this size, each its part, over and over.
double read_bandwidth(ThreadPool& pool, size_t bytes);

}  // namespace ingot::cpu
