// A cursor over bytes that nobody vouches for: every read is checked against the end first. Little-endian.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "ingot/checkpoint/format_error.h"

namespace ingot::gguf {

static_assert(std::endian::native == std::endian::little, "GGUF is read on little-endian machines");

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  size_t offset() const { return offset_; }
  uint64_t remaining() const { return bytes_.size() - offset_; }
  std::span<const std::byte> since(size_t start) const { return bytes_.subspan(start, offset_ - start); }

  // `what` names the thing for the message when the file ends first.
  std::span<const std::byte> take(uint64_t count, std::string_view what);
  std::string_view text(std::string_view what);  // uint64 length, then that many bytes

  template <class T>
  T number(std::string_view what) {
    T value;
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  size_t offset_ = 0;
};

}  // namespace ingot::gguf
