// Scratch memory of CPU kernels.
#pragma once

#include <cstddef>

namespace ingot::cpu {

// At least `bytes` of uninitialised memory aligned to a cache line, this thread's until its next call. It grows to the
// largest size asked for and stays: callers bound what they ask for by working in chunks.
std::byte* workspace(size_t bytes);

}  // namespace ingot::cpu
