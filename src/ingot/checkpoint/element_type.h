// How a stored tensor spells its numbers. Quantised types are blocks along the innermost dimension.
#pragma once

#include <cstdint>
#include <string_view>

namespace ingot {

enum class ElementType {
  kF32,
  kF16,
  kBf16,
  kQ4_0,  // 32 elements, 18 bytes: f16 d, then nibbles (element i low, i + 16 high, of byte i); w = d · (q − 8)
  kQ4_1,  // 32 elements, 20 bytes: f16 d, f16 m, nibbles as above; w = d · q + m
  kQ8_0,  // 32 elements, 34 bytes: f16 d, then int8 q; w = d · q

  // Known by name and size: such tensors may lie in a file, and none is read as a weight.
  // clang-format off
  kBool, kU8, kI8, kF8E5M2, kF8E4M3, kF8E5M2Fnuz, kF8E4M3Fnuz, kF8E8M0, kI16, kU16, kI32, kU32, kI64, kU64,
  kF64, kC64, kF4, kF6E2M3, kF6E3M2,
  kQ5_0, kQ5_1, kQ8_1, kQ2K, kQ3K, kQ4K, kQ5K, kQ6K, kQ8K, kIq2Xxs, kIq2Xs, kIq3Xxs, kIq1S, kIq4Nl, kIq3S,
  kIq2S, kIq4Xs, kIq1M, kTq1_0, kTq2_0, kMxfp4, kNvfp4, kQ1_0,
  // clang-format on
};

// Whether weights can be made of it.
constexpr bool is_weight_type(ElementType type) { return type <= ElementType::kQ8_0; }

std::string_view element_type_name(ElementType type);  // "F32", "Q4_1", …
int elements_per_block(ElementType type);              // 1 for plain types
int bytes_per_block(ElementType type);

}  // namespace ingot
