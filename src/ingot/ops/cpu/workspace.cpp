// One buffer a thread.
#include "ingot/ops/cpu/workspace.h"

#include <memory>
#include <new>

namespace ingot::cpu {
namespace {

constexpr std::align_val_t kLine{64};

struct Free {
  void operator()(std::byte* p) const { ::operator delete[](p, kLine); }
};

}  // namespace

std::byte* workspace(size_t bytes) {
  thread_local std::unique_ptr<std::byte[], Free> buffer;
  thread_local size_t size = 0;
  if (size < bytes) {
    buffer.reset();
    size = 0;
    buffer.reset(static_cast<std::byte*>(::operator new[](bytes, kLine)));
    size = bytes;
  }
  return buffer.get();
}

}  // namespace ingot::cpu
