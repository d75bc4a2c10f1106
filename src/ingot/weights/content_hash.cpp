// Four lanes, so that multiplications overlap; each result word folds all lanes.
#include "ingot/weights/content_hash.h"

#include <cstring>

namespace ingot {

namespace {

// Odd constants with balanced bits (digits of π and e).
constexpr std::array<uint64_t, 6> kSecret{0x243F6A8885A308D3, 0x13198A2E03707345, 0xA4093822299F31D1,
                                          0x082EFA98EC4E6C89, 0xB7E151628AED2A6B, 0xBF7158809CF4F3C7};

uint64_t fold(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

void mix(std::array<uint64_t, 4>& lanes, const std::byte* line) {
  std::array<uint64_t, 8> words;
  std::memcpy(words.data(), line, sizeof(words));
  for (size_t i = 0; i < lanes.size(); ++i)
    lanes[i] = fold(words[2 * i] ^ kSecret[i], words[2 * i + 1] ^ lanes[i]) + words[2 * i];
}

}  // namespace

ContentHash content_hash(std::span<const std::byte> bytes) {
  std::array<uint64_t, 4> lanes{kSecret[1], kSecret[2], kSecret[3], kSecret[4]};
  size_t at = 0;
  for (; bytes.size() - at >= 64; at += 64) mix(lanes, bytes.data() + at);
  if (at < bytes.size()) {
    std::array<std::byte, 64> last{};
    std::memcpy(last.data(), bytes.data() + at, bytes.size() - at);
    mix(lanes, last.data());
  }
  ContentHash hash{};
  for (size_t i = 0; i < hash.size(); ++i) {
    hash[i] = fold(bytes.size() ^ kSecret[4 + i], lanes[i] ^ kSecret[i]);
    for (size_t k = 0; k < lanes.size(); ++k) hash[i] = fold(hash[i] ^ lanes[k], kSecret[(k + 2 * i) % 6] ^ hash[i]);
  }
  return hash;
}

}  // namespace ingot
