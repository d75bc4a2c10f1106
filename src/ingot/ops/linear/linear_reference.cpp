// Unpacking and multiplying by MLX operations.
#include "ingot/ops/linear/linear.h"

namespace ingot {
namespace {

// Bytes [begin, end) of every block: uint8 [panels, blocks, end − begin].
array block_slice(const array& blocks, int begin, int end) {
  return mx::contiguous(mx::slice(blocks, {0, 0, begin}, {blocks.shape(0), blocks.shape(1), end}));
}

// Halves [panels, groups, 16] at this byte of every block, as float32 [panels, 16, groups, 1].
array scales_at(const array& blocks, int begin, mx::Dtype dtype = mx::float16) {
  const array half = mx::view(block_slice(blocks, begin, begin + 2 * kPanelRows), dtype);
  return mx::expand_dims(mx::transpose(mx::astype(half, mx::float32), {0, 2, 1}), -1);
}

// float32 [panels, 16, groups, 32].
array codes_of(const array& blocks, WeightFormat format) {
  const int panels = blocks.shape(0), groups = blocks.shape(1);
  const array bytes = block_slice(blocks, 0, code_bytes(format));
  array codes = bytes;
  if (format == WeightFormat::kQ8_0) {
    codes = mx::reshape(bytes, {panels, groups, 8, 1, kPanelRows, 4});
  } else {
    const array pairs = mx::reshape(bytes, {panels, groups, 4, 1, kPanelRows, 4});
    const array low = mx::bitwise_and(pairs, array(15, mx::uint8)), high = mx::right_shift(pairs, array(4, mx::uint8));
    codes = mx::concatenate({low, high}, 3);
  }
  codes = mx::transpose(codes, {0, 4, 1, 2, 3, 5});
  return mx::astype(mx::reshape(codes, {panels, kPanelRows, groups, kGroupSize}), mx::float32);
}

// The same of I16's codes: [4t + j mod 2 + 2i] from [t][j mod 2][16 rows][i].
array wide_codes_of(const array& blocks) {
  const int panels = blocks.shape(0), groups = blocks.shape(1);
  array codes = mx::view(block_slice(blocks, 0, code_bytes(WeightFormat::kI16)), mx::int16);
  codes = mx::transpose(mx::reshape(codes, {panels, groups, 8, 2, kPanelRows, 2}), {0, 4, 1, 2, 5, 3});
  return mx::astype(mx::reshape(codes, {panels, kPanelRows, groups, kGroupSize}), mx::float32);
}

array unpack_dense(const PackedWeight& weight) {
  const mx::Dtype dtype = weight.format == WeightFormat::kF32   ? mx::float32
                          : weight.format == WeightFormat::kF16 ? mx::float16
                                                                : mx::bfloat16;
  const array panels = mx::reshape(mx::view(weight.data, dtype), {weight.num_panels(), weight.in_features, kPanelRows});
  return mx::astype(mx::transpose(panels, {0, 2, 1}), mx::float32);
}

array unpack_quantised(const PackedWeight& weight) {
  const int size = block_bytes(weight.format), scales = code_bytes(weight.format);
  const array blocks = mx::reshape(weight.data, {weight.num_panels(), weight.blocks_per_panel(), size});
  if (weight.format == WeightFormat::kI16) return wide_codes_of(blocks) * scales_at(blocks, scales, mx::bfloat16);
  const array codes = codes_of(blocks, weight.format), d = scales_at(blocks, scales);
  if (weight.format == WeightFormat::kQ4_1) return codes * d + scales_at(blocks, scales + 2 * kPanelRows);
  return (codes - array(float(zero_point(weight.format)))) * d;
}

}  // namespace

array unpack_weight(const PackedWeight& weight) {
  const array panels = is_quantised(weight.format) ? unpack_quantised(weight) : unpack_dense(weight);
  const array rows = mx::reshape(panels, {weight.num_panels() * kPanelRows, weight.in_features});
  return mx::slice(rows, {0, 0}, {weight.out_features, weight.in_features});
}

array linear_reference(const array& x, const PackedWeight& weight, const std::optional<array>& bias) {
  const array y = mx::matmul(x, mx::transpose(unpack_weight(weight)));
  return bias ? y + *bias : y;
}

}  // namespace ingot
