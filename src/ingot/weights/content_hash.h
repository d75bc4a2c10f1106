// A fast 128-bit hash for telling weights apart. Not cryptographic: it answers accidents, not attackers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ingot {

using ContentHash = std::array<uint64_t, 2>;

// Two independent multiply-and-fold lanes pairs over 64-byte lines (the mixing step of wyhash). Any thread; about
// 10 GB/s a core.
ContentHash content_hash(std::span<const std::byte> bytes);

}  // namespace ingot
