// Linear on CPU: quantising rows, and panels of 16 outputs times a tile of rows.
#include "ingot/ops/linear/linear_kernels.h"

#include <string.h>

#include "ingot/ops/cpu/simd.h"
#include "ingot/tensor/weight_format.h"

namespace ingot::cpu {
namespace {

constexpr int kPairs = kGroupSize / 2;     // a dot_i16 takes two inputs
constexpr float kSmallest = 1e-30f;        // groups below count as zero: their inverse scale would overflow
constexpr int32_t kInfinity = 0x7f800000;  // the bits of the least non-finite magnitude

void quantise_group(const float* x, int zero_point, const QuantisedTile& tile, ptrdiff_t at) {
  const F32 low = load(x), high = load(x + 16);
  const I32 magnitude_mask = set1(int32_t{0x7fffffff});
  const int32_t peak_bits = reduce_max(max(bits_of(low) & magnitude_mask, bits_of(high) & magnitude_mask));
  float peak;
  memcpy(&peak, &peak_bits, 4);
  const bool finite = peak_bits < kInfinity;
  const bool zero = !finite || peak < kSmallest;
  const F32 inverse = set1(zero ? 0.0f : 32767.0f / peak);
  const F32 nothing = zero_f32();
  const I32 a = round_to_i32(zero ? nothing : low * inverse), b = round_to_i32(zero ? nothing : high * inverse);
  store_i16_swapped(tile.values + at * kGroupSize, a);
  store_i16_swapped(tile.values + at * kGroupSize + 16, b);
  const int32_t sum = reduce_add(a + b);
  tile.scales[at] = finite ? (zero ? 0.0f : peak / 32767.0f) : __builtin_nanf("");
  tile.sums[at] = static_cast<float>(sum);
  tile.offsets[at] = -zero_point * sum;
}

void quantise(const float* x, int first, int count, int zero_point, const QuantisedTile& tile) {
  for (int row = first; row < first + count; ++row)
    for (int group = 0; group < tile.num_groups; ++group, x += kGroupSize)
      quantise_group(x, zero_point, tile, ptrdiff_t{group} * tile.num_rows + row);
}

// The codes of a block as 16 vectors of int16 pairs, each with its 16 outputs' codes of inputs (4t, 4t + 2) for even
// vectors 2t and (4t + 1, 4t + 3) for odd ones.
struct Block {
  I32 codes[kPairs];
  F32 d, m;
};

template <WeightFormat format>
INGOT_INLINE Block unpack(const uint8_t* bytes) {
  Block block;
  if constexpr (format == WeightFormat::kQ8_0) {
    const I32 mask = set1(int32_t{0x00ff00ff});
    for (int j = 0; j < 8; ++j) {
      const I32 raw = load_bytes(bytes + 64 * j);
      block.codes[2 * j] = raw & mask;
      block.codes[2 * j + 1] = shift_right_16<8>(raw);
    }
  } else {
    const I32 mask = set1(int32_t{0x000f000f});
    for (int j = 0; j < 4; ++j) {
      const I32 raw = load_bytes(bytes + 64 * j);
      block.codes[4 * j] = raw & mask;
      block.codes[4 * j + 1] = shift_right_16<8>(raw) & mask;
      block.codes[4 * j + 2] = shift_right_16<4>(raw) & mask;
      block.codes[4 * j + 3] = shift_right_16<12>(raw);
    }
  }
  const auto* scales = reinterpret_cast<const uint16_t*>(bytes + code_bytes(format));
  block.d = load_f16(scales);
  if constexpr (format == WeightFormat::kQ4_1) block.m = load_f16(scales + kPanelRows);
  return block;
}

INGOT_INLINE I32 broadcast_pair(const int16_t* p) {
  int32_t pair;
  memcpy(&pair, p, 4);
  return set1(pair);
}

// Adds one block's products with n rows to their totals, `at` being [group][first row]. Few rows take several
// accumulators each, for the latency of the dot product; integer sums are exact in any order.
template <WeightFormat format, int n>
INGOT_INLINE void add_rows(const Block& block, const QuantisedTile& x, ptrdiff_t at, float* totals) {
  constexpr int kChains = n == 1 ? 4 : n == 2 ? 2 : 1;
  const int16_t* values = x.values + at * kGroupSize;
  I32 sums[n][kChains];
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < kChains; ++c) sums[r][c] = c == 0 && zero_point(format) ? set1(x.offsets[at + r]) : zero_i32();
#pragma GCC unroll 16
  for (int k = 0; k < kPairs; ++k)
#pragma GCC unroll 8
    for (int r = 0; r < n; ++r)
      sums[r][k % kChains] =
          dot_i16(sums[r][k % kChains], block.codes[k], broadcast_pair(values + kGroupSize * r + 2 * k));
#pragma GCC unroll 8
  for (int r = 0; r < n; ++r) {
    I32 sum = sums[r][0];
    for (int c = 1; c < kChains; ++c) sum = sum + sums[r][c];
    F32 t = block.d * to_f32(sum);
    if constexpr (format == WeightFormat::kQ4_1) t = fma(block.m, set1(x.sums[at + r]), t);
    store(totals + kPanelRows * r, fma(set1(x.scales[at + r]), t, load(totals + kPanelRows * r)));
  }
}

// Calls body(std::integral_constant-like n, first row) for blocks of kRowBlock, then the halves of what is left.
template <int n, class Body>
INGOT_INLINE void row_blocks(int first, int num_rows, const Body& body) {
  for (; first + n <= num_rows; first += n) body.template operator()<n>(first);
  if constexpr (n > 1) row_blocks<n / 2>(first, num_rows, body);
}

void store_totals(const float* totals, int num_rows, int panel, const PanelRun& run) {
  const int left = run.num_outputs - panel * kPanelRows;
  float* y = run.y + panel * kPanelRows;
  for (int r = 0; r < num_rows; ++r, y += run.y_stride) {
    const F32 row = load(totals + kPanelRows * r);
    left >= kPanelRows ? store(y, row) : store_first(y, row, left);
  }
}

template <WeightFormat format>
void quantised(const QuantisedTile& x, const PanelRun& run) {
  constexpr int kAhead = 2048;  // bytes between what is read and what is fetched
  alignas(64) float totals[kTileRows * kPanelRows];
  const uint8_t* bytes = run.panels;
  for (int panel = 0; panel < run.num_panels; ++panel) {
    memset(totals, 0, sizeof(float) * kPanelRows * x.num_rows);
    for (int group = 0; group < x.num_groups; ++group, bytes += block_bytes(format)) {
      for (int line = 0; line < block_bytes(format); line += 64) prefetch(bytes + kAhead + line);
      const Block block = unpack<format>(bytes);
      const ptrdiff_t at = ptrdiff_t{group} * x.num_rows;
      row_blocks<kRowBlock>(
          0, x.num_rows, [&]<int n>(int row) { add_rows<format, n>(block, x, at + row, totals + kPanelRows * row); });
    }
    store_totals(totals, x.num_rows, panel, run);
  }
}

template <WeightFormat format>
INGOT_INLINE F32 load_dense(const uint8_t* bytes) {
  if constexpr (format == WeightFormat::kF32) return load(reinterpret_cast<const float*>(bytes));
  if constexpr (format == WeightFormat::kF16) return load_f16(reinterpret_cast<const uint16_t*>(bytes));
  if constexpr (format == WeightFormat::kBf16) return load_bf16(reinterpret_cast<const uint16_t*>(bytes));
}

template <WeightFormat format, int n>
INGOT_INLINE void dense_rows(const uint8_t* bytes, const float* x, int in_features, float* totals) {
  F32 sums[n];
  for (int r = 0; r < n; ++r) sums[r] = zero_f32();
  for (int k = 0; k < in_features; ++k) {
    const F32 w = load_dense<format>(bytes + ptrdiff_t{k} * block_bytes(format));
#pragma GCC unroll 8
    for (int r = 0; r < n; ++r) sums[r] = fma(set1(x[ptrdiff_t{r} * in_features + k]), w, sums[r]);
  }
  for (int r = 0; r < n; ++r) store(totals + kPanelRows * r, sums[r]);
}

template <WeightFormat format>
void dense(const DenseRows& x, const PanelRun& run) {
  alignas(64) float totals[kTileRows * kPanelRows];
  const uint8_t* bytes = run.panels;
  for (int panel = 0; panel < run.num_panels; ++panel, bytes += ptrdiff_t{x.in_features} * block_bytes(format)) {
    row_blocks<kRowBlock>(0, x.num_rows, [&]<int n>(int row) {
      dense_rows<format, n>(bytes, x.x + ptrdiff_t{row} * x.in_features, x.in_features, totals + kPanelRows * row);
    });
    store_totals(totals, x.num_rows, panel, run);
  }
}

}  // namespace

template <>
const LinearKernels& kernel_table<LinearKernels, kKernelIsa>() {
  static constexpr LinearKernels table{
      .quantise = quantise,
      .q4_0 = quantised<WeightFormat::kQ4_0>,
      .q4_1 = quantised<WeightFormat::kQ4_1>,
      .q8_0 = quantised<WeightFormat::kQ8_0>,
      .f32 = dense<WeightFormat::kF32>,
      .f16 = dense<WeightFormat::kF16>,
      .bf16 = dense<WeightFormat::kBf16>,
  };
  return table;
}

}  // namespace ingot::cpu
