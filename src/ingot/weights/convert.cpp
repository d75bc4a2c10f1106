// Through float32, which holds all three exactly.
#include "ingot/weights/convert.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace ingot {

namespace {

float read_float(const std::byte* at, ElementType type) {
  if (type == ElementType::kF32) {
    float value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, at, sizeof(bits));
  if (type == ElementType::kF16) return static_cast<float>(std::bit_cast<_Float16>(bits));
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);  // rounding could carry it to infinity
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

}  // namespace

ElementType kept_type(ElementType stored, WeightDtype dtype) {
  if (elements_per_block(stored) != 1) return stored;
  switch (dtype) {
    case WeightDtype::kAuto:
      return stored;
    case WeightDtype::kFloat16:
      return ElementType::kF16;
    case WeightDtype::kBfloat16:
      return ElementType::kBf16;
    case WeightDtype::kFloat32:
      return ElementType::kF32;
  }
  throw std::logic_error("unknown dtype");
}

bool convert(std::span<const std::byte> from, ElementType from_type, ElementType to_type, std::byte* to) {
  const auto from_bytes = static_cast<size_t>(bytes_per_block(from_type));
  bool fits = true;
  for (size_t at = 0; at < from.size(); at += from_bytes) {
    const float value = read_float(from.data() + at, from_type);
    if (to_type == ElementType::kF32) {
      std::memcpy(to, &value, sizeof(value));
      to += sizeof(value);
      continue;
    }
    const uint16_t bits =
        to_type == ElementType::kF16 ? std::bit_cast<uint16_t>(static_cast<_Float16>(value)) : to_bf16(value);
    const uint16_t infinity = to_type == ElementType::kF16 ? 0x7C00 : 0x7F80;
    fits &= (bits & 0x7FFF) != infinity || std::isinf(value);
    std::memcpy(to, &bits, sizeof(bits));
    to += sizeof(bits);
  }
  return fits;
}

}  // namespace ingot
