// Plain floats of one width from those of another, rounded to the nearest, ties to even.
#pragma once

#include <cstddef>
#include <span>

#include "ingot/checkpoint/element_type.h"
#include "ingot/core/model_source.h"

namespace ingot {

// The type in which matrices of plain floats are kept; `stored` for kAuto and for quantised types.
ElementType kept_type(ElementType stored, WeightDtype dtype);

// Both types are F32, F16 or BF16; `to` holds as many elements as `from`. False if a finite number is too large for
// the type: it became infinite.
bool convert(std::span<const std::byte> from, ElementType from_type, ElementType to_type, std::byte* to);

}  // namespace ingot
