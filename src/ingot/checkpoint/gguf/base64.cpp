// Three bytes at a time become four letters.
#include "ingot/checkpoint/gguf/base64.h"

#include <cstdint>
#include <string_view>

namespace ingot::gguf {

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t present = std::min<size_t>(3, bytes.size() - at);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) group = group << 8 | (i < present ? static_cast<uint32_t>(bytes[at + i]) : 0);
    for (size_t i = 0; i < 4; ++i) out += i <= present ? kLetters[group >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

}  // namespace ingot::gguf
