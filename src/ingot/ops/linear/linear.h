// Linear: y = x · Wᵀ + bias, with the weight in any packed format.
#pragma once

#include <optional>

#include "ingot/tensor/packed_weight.h"

namespace ingot {

// x: float32 [T, in], row-contiguous; bias: float32 [out] → float32 [T, out]. On CPU our kernels run
// (quantised_kernels.h, dense_kernels.h): a row's output has the same bits alone and in any batch, on any number of
// threads and instruction set; a row that is not finite gives NaN and leaves the others alone. On other devices
// linear_reference() serves. Throws std::invalid_argument when shapes or the weight's bytes do not fit.
array linear(const array& x, const PackedWeight& weight, const std::optional<array>& bias = {});

// The same by MLX operations on the unpacked weight, with float32 inputs: the oracle.
array linear_reference(const array& x, const PackedWeight& weight, const std::optional<array>& bias = {});

// The dequantised matrix by MLX operations: float32 [out, in].
array unpack_weight(const PackedWeight& weight);

}  // namespace ingot
