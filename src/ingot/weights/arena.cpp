// mmap in chunks, and the wrapping into MLX's buffers.
#include "ingot/weights/arena.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include <mlx/device.h>
#include <sys/mman.h>

namespace ingot {

namespace {

constexpr size_t kLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kChunk = size_t{64} << 20;

constexpr size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

// `size` bytes on a border of huge pages; untouched pages cost nothing.
std::shared_ptr<void> map_chunk(size_t size) {
  const size_t whole = size + kHugePage;
  void* const start =
      ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  auto* const aligned = reinterpret_cast<std::byte*>(round_up(reinterpret_cast<uintptr_t>(start), kHugePage));
#ifdef MADV_HUGEPAGE
  ::madvise(aligned, size, MADV_HUGEPAGE);
#endif
  return {aligned, [start, whole](void*) { ::munmap(start, whole); }};
}

}  // namespace

ArenaBlock Arena::take(size_t bytes) {
  const size_t need = kLine + round_up(bytes, kLine);  // a line before the block is for MLX's header
  if (need > left_) {
    left_ = round_up(std::max(need, kChunk), kHugePage);
    chunk_ = map_chunk(left_);
    next_ = static_cast<std::byte*>(chunk_.get());
  }
  std::byte* const start = std::exchange(next_, next_ + need) + kLine;
  left_ -= need;
  return {chunk_, {start, bytes}};
}

array to_array(ArenaBlock block) {
  const mx::Shape shape{static_cast<int>(block.bytes.size())};
  std::byte* const data = block.bytes.data();
  if (mx::is_available(mx::Device::gpu))
    return array(data, shape, mx::uint8, [mapping = std::move(block.mapping)](void*) {});
  // MLX's CPU allocator keeps a block's size in the word before its data, and a Buffer points at that word.
  std::byte* const header = data - sizeof(size_t);
  const size_t size = block.bytes.size();
  std::memcpy(header, &size, sizeof(size));
  array shared({mx::allocator::Buffer(header), [mapping = std::move(block.mapping)](mx::allocator::Buffer) {}}, shape,
               mx::uint8);
  if (reinterpret_cast<std::byte*>(shared.data<uint8_t>()) != data)
    throw std::logic_error("MLX's CPU buffers have another layout than Ingot knows");
  return shared;
}

}  // namespace ingot
