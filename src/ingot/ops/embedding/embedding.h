// Embedding: rows of a packed table.
#pragma once

#include "ingot/tensor/packed_weight.h"

namespace ingot {

// ids: int32 [T] → float32 [T, in_features]: row t is the dequantised row ids[t] of the table (so an embedding that is
// tied to the head needs no copy of its own). An id outside [0, out_features) gives a row of zeros: ids may be tokens
// that no host has read yet, so only what produces them can refuse them. On other devices than the CPU
// embedding_reference() serves.
array embedding(const array& ids, const PackedWeight& table);

// The same by MLX operations: the oracle. Its ids must be in range.
array embedding_reference(const array& ids, const PackedWeight& table);

}  // namespace ingot
