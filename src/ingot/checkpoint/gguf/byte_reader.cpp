// Checked reads and their messages.
#include "ingot/checkpoint/gguf/byte_reader.h"

#include <fmt/format.h>

namespace ingot::gguf {

std::span<const std::byte> ByteReader::take(uint64_t count, std::string_view what) {
  if (count > remaining())
    corrupt(
        fmt::format("{} needs {} bytes at offset {}, and the file ends after {}", what, count, offset_, remaining()));
  const auto part = bytes_.subspan(offset_, count);
  offset_ += count;
  return part;
}

std::string_view ByteReader::text(std::string_view what) {
  const auto length = number<uint64_t>(what);
  const auto part = take(length, what);
  return {reinterpret_cast<const char*>(part.data()), part.size()};
}

}  // namespace ingot::gguf
