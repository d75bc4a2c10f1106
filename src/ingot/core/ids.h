// Strong ids: enums, so that they hash and compare but never mix.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ingot {

enum class RequestId : uint64_t {};  // one sequence of the engine; unique for the life of the process
enum class BlockId : int32_t {};     // a page of the KV pool; 0 is the null block
enum class SlotId : int32_t {};      // a row of the runner's per-request state, 0 … max_num_seqs − 1

inline constexpr BlockId kNullBlock{0};

constexpr size_t index(BlockId id) { return static_cast<size_t>(id); }
constexpr size_t index(SlotId id) { return static_cast<size_t>(id); }

}  // namespace ingot
