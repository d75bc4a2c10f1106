// How much memory this process may still take.
#pragma once

#include <cstdint>

namespace ingot {

// Bytes of memory that new allocations can use without swapping: what the kernel calls available, within the limit of
// the process's control group. 0 where the system does not tell.
int64_t available_memory_bytes();

// Resident memory of this process, bytes; 0 where the system does not tell.
int64_t resident_memory_bytes();

// Gives memory that was freed but kept by the allocator back to the system. Takes milliseconds.
void release_free_memory();

}  // namespace ingot
