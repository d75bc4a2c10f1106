// Memory for weights: few large mappings on huge pages, handed out to MLX arrays without a copy.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "ingot/tensor/array.h"

namespace ingot {

// A zeroed block that starts on a cache line. It keeps its mapping alive.
struct ArenaBlock {
  std::shared_ptr<void> mapping;
  std::span<std::byte> bytes;
};

class Arena {
 public:
  // Throws std::bad_alloc.
  ArenaBlock take(size_t bytes);

 private:
  std::shared_ptr<void> chunk_;
  std::byte* next_ = nullptr;
  size_t left_ = 0;
};

// The block as uint8[bytes], fewer than 2^31. On CPU the array shares the block, which MLX's own allocator would place
// across cache lines; other back ends copy it into their memory. MLX's thread only.
array to_array(ArenaBlock block);

}  // namespace ingot
