// How a weight matrix lies in memory: quantised as on disk, in panels that kernels stream. No MLX here: kernels see it.
//
// Layout, for y[out] = Σ_in W[out, in] · x[in]. Rows (out) are cut into panels of 16; the last panel is padded with
// zero rows. Every panel is contiguous, panels follow each other, and within a panel `in` ascends:
//   dense (f32, f16, bf16)   [panel][in][16 rows], elements of the format
//   quantised, by groups of 32 along `in`: [panel][in / 32][block], a block being
//     Q4_0  256 bytes of codes, then f16 d[16]                     w = d · (q − 8)
//     Q4_1  256 bytes of codes, then f16 d[16], then f16 m[16]     w = d · q + m
//     Q8_0  512 bytes of codes, then f16 d[16]                     w = d · (q − 128), q = the file's int8 + 128
//     I16   1024 bytes of codes, then bf16 d[16]                   w = d · q, |q| ≤ 8191, d a power of two
//   8-bit codes: byte [j][row][i] (8 × 16 × 4) is q of in = 4j + i.
//   4-bit codes: byte [j][row][i] (4 × 16 × 4) holds q of in = 8j + i in its low nibble and of in = 8j + 4 + i in its
//   high one.
//   16-bit codes: int16 [j][row][i] (16 × 16 × 2) is q of in = 4⌊j / 2⌋ + j mod 2 + 2i.
// So a 64-byte line of 8-bit codes carries four consecutive inputs for each of 16 rows, the operand of a 4-way byte dot
// product; one of 16-bit codes a pair, in the order in which the others unpack.
#pragma once

namespace ingot {

enum class WeightFormat { kF32, kF16, kBf16, kQ4_0, kQ4_1, kQ8_0, kI16 };

inline constexpr int kPanelRows = 16;
inline constexpr int kGroupSize = 32;  // inputs that share a scale
inline constexpr int kMaxI16 = 8191;   // the largest code of I16: 32 products of two such numbers fit into int32

constexpr bool is_quantised(WeightFormat format) { return format >= WeightFormat::kQ4_0; }

// The code that stands for zero; Q4_1 has a minimum instead.
constexpr int zero_point(WeightFormat format) {
  return format == WeightFormat::kQ4_0 ? 8 : format == WeightFormat::kQ8_0 ? 128 : 0;
}

// Bytes of the codes of a quantised block.
constexpr int code_bytes(WeightFormat format) {
  return format == WeightFormat::kI16 ? 1024 : format == WeightFormat::kQ8_0 ? 512 : 256;
}

// Bytes of one block: 16 rows × 32 inputs with their scales (quantised formats), or of 16 rows × 1 input (dense).
constexpr int block_bytes(WeightFormat format) {
  switch (format) {
    case WeightFormat::kF32:
      return 64;
    case WeightFormat::kF16:
    case WeightFormat::kBf16:
      return 32;
    case WeightFormat::kQ4_0:
      return 256 + 32;
    case WeightFormat::kQ4_1:
      return 256 + 64;
    case WeightFormat::kQ8_0:
      return 512 + 32;
    case WeightFormat::kI16:
      return 1024 + 32;
  }
  return 0;
}

}  // namespace ingot
