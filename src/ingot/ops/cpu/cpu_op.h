// A CPU kernel of ours as one node of MLX's graph.
#pragma once

#include <functional>
#include <vector>

#include "ingot/tensor/array.h"

namespace ingot::cpu {

struct Output {
  mx::Shape shape;
  mx::Dtype dtype;
  int alias = -1;  // ≥ 0: shares the buffer of this input, which the kernel then changes in place (pools)
};

// Runs on MLX's stream thread with every array allocated and row-contiguous. Outputs are uninitialised.
using Kernel = std::function<void(const std::vector<array>& inputs, std::vector<array>& outputs)>;

// Adds a node. Throws std::invalid_argument at evaluation when an input is not row-contiguous: a hidden copy of a pool
// or a weight would be worse. An aliased input must not be used by later nodes: they take the output instead.
std::vector<array> cpu_op(const char* name, std::vector<array> inputs, std::vector<Output> outputs, Kernel kernel);

}  // namespace ingot::cpu
