// Stored rows → panels of tensor/packed_weight.h, exactly but for cpu_format(): codes and scales keep their values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "ingot/checkpoint/checkpoint.h"
#include "ingot/tensor/packed_weight.h"

namespace ingot {

// The types here are weights' (is_weight_type).

WeightFormat format_of(ElementType type);

float stored_float(const Tensor& tensor, size_t index);  // of a plain type (F32, F16, BF16)

// The format that the CPU's kernels want for a matrix of `format`: 16-bit floats become I16, whose codes are the same
// values but where one is under a 32nd (F16: a 4th) of the largest of its group; that one is off by at most 2⁻¹³ of the
// largest.
WeightFormat cpu_format(WeightFormat format, int64_t in_features);

// The format that holds rows of all these types with no change of value, absent where there is none:
// equal types stay; F16 and BF16 beside each other or beside F32 become F32; Q4_0 beside Q8_0 becomes Q8_0.
std::optional<WeightFormat> common_format(std::span<const ElementType> types);

// A stored row and its type.
struct StoredRow {
  const std::byte* data;
  ElementType type;
};

// Writes the panel whose rows these are (1 … 16; the caller has zeroed the rest). `panel` has the panel's bytes.
void pack_panel(std::span<const StoredRow> rows, WeightFormat format, int in_features, std::byte* panel);

}  // namespace ingot
