// Pages on CPU.
#include "ingot/ops/attention/kv_pool.h"

#include <cassert>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/thread_pool.h"

namespace ingot {
namespace {

size_t page_elements(const KvSpec& spec, int block_size) {
  if (block_size <= 0 || block_size % kStripTokens != 0)
    throw std::invalid_argument(fmt::format("block size {} is not a multiple of {}", block_size, kStripTokens));
  if (spec.head_dim <= 0 || spec.head_dim % 16 != 0)
    throw std::invalid_argument(fmt::format("head size {} is not a multiple of 16", spec.head_dim));
  return size_t{2} * block_size * spec.num_kv_heads * spec.head_dim;
}

// Long contexts outgrow the reach of 4 KiB translations: huge pages gave a third to twice the speed there. Small ones
// stay for the first megabytes of each layer, so that a short conversation does not make whole huge pages resident.
void prefer_huge_pages(array& pool) {
#if defined(__linux__)
  constexpr size_t kHugePage = size_t{2} << 20, kSmallPages = size_t{8} << 20;
  const size_t layer_bytes = pool.nbytes() / pool.shape(0);
  const auto base = reinterpret_cast<uintptr_t>(pool.data<mx::bfloat16_t>());
  for (int layer = 0; layer < pool.shape(0); ++layer) {
    const uintptr_t begin = (base + layer * layer_bytes + kSmallPages + kHugePage - 1) / kHugePage * kHugePage;
    const uintptr_t end = (base + (layer + 1) * layer_bytes) / kHugePage * kHugePage;
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // advice: failure is fine
  }
#endif
}

}  // namespace

array make_kv_pool(const KvGroup& group, int num_blocks, int block_size) {
  if (num_blocks < 1) throw std::invalid_argument("a KV pool needs at least one block");
  const int page = static_cast<int>(page_elements(group.spec, block_size));
  const mx::Shape shape{static_cast<int>(group.layers.size()), num_blocks, page};
  const size_t bytes = size_t(shape[0]) * shape[1] * shape[2] * sizeof(uint16_t);
  array pool(mx::allocator::malloc(bytes), shape, mx::bfloat16);  // fresh pages of the system: touched when written
  prefer_huge_pages(pool);
  return pool;
}

size_t kv_block_bytes(const KvGroup& group, int block_size) {
  return group.layers.size() * page_elements(group.spec, block_size) * sizeof(uint16_t);
}

array copy_blocks(const array& pool, const array& from, const array& to) {
  require(pool, mx::bfloat16, {-1, -1, -1}, "copy_blocks pool");
  require(from, mx::int32, {-1}, "copy_blocks from");
  require(to, mx::int32, {from.shape(0)}, "copy_blocks to");
  return cpu::cpu_op("copy_blocks", {pool, from, to}, {{pool.shape(), mx::bfloat16, 0}},
                     [](const std::vector<array>& in, std::vector<array>& out) {
                       const int num_blocks = out[0].shape(1);
                       const size_t page = out[0].shape(2);
                       for (int i = 0; i < in[1].shape(0); ++i) {
                         const size_t source = in[1].data<int32_t>()[i];
                         const size_t target = in[2].data<int32_t>()[i];
                         assert(source < size_t(num_blocks) && target < size_t(num_blocks));
                         cpu::ThreadPool::instance().parallel_for(out[0].shape(0), [&](int layer) {
                           auto* base = reinterpret_cast<char*>(out[0].data<mx::bfloat16_t>()) +
                                        size_t(layer) * num_blocks * page * sizeof(uint16_t);
                           std::memcpy(base + target * page * sizeof(uint16_t), base + source * page * sizeof(uint16_t),
                                       page * sizeof(uint16_t));
                         });
                       }
                     })[0];
}

}  // namespace ingot
