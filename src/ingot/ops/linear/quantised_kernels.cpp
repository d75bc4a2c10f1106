// Quantising rows; panels of quantised weights times a tile of rows, or times one row.
#include "ingot/ops/linear/quantised_kernels.h"

#include <string.h>

namespace ingot::cpu {
namespace {

constexpr int kPairs = kGroupSize / 2;     // a dot_i16 takes two inputs
constexpr float kSmallest = 1e-30f;        // groups below count as zero: their inverse scale would overflow
constexpr int32_t kInfinity = 0x7f800000;  // the bits of the least magnitude that is not finite

// Bytes between the block in work and the one that is fetched: far when memory is the limit, near when four panels
// stream.
constexpr int kFarAhead = 8192;
constexpr int kNearAhead = 1024;

// Accumulators of a block: 4 × 4 need 8 loads for 16 dot products, and leave registers for their operands.
constexpr int kBlockRows = 4;
constexpr int kBlockPanels = kKernelIsa == Isa::kAvx512 ? 4 : 1;

void quantise_group(const float* x, float most, int zero_point, const QuantisedTile& tile, ptrdiff_t at) {
  const F32 low = load(x), high = load(x + 16);
  const I32 magnitude = set1(int32_t{0x7fffffff});
  const int32_t peak_bits = reduce_max(max(bits_of(low) & magnitude, bits_of(high) & magnitude));
  float peak;
  memcpy(&peak, &peak_bits, 4);
  const bool finite = peak_bits < kInfinity, zero = !finite || peak < kSmallest;
  const F32 inverse = set1(zero ? 0.0f : most / peak);
  const I32 a = round_to_i32(finite ? low * inverse : inverse), b = round_to_i32(finite ? high * inverse : inverse);
  store_i16_swapped(tile.values + at * kGroupSize, a);
  store_i16_swapped(tile.values + at * kGroupSize + 16, b);
  const int32_t sum = reduce_add(a + b);
  tile.scales[at] = finite ? (zero ? 0.0f : peak / most) : __builtin_nanf("");
  tile.sums[at] = static_cast<float>(sum);
  tile.offsets[at] = -zero_point * sum;
}

void quantise(const float* x, int first, int count, WeightFormat format, const QuantisedTile& tile) {
  const float most = format == WeightFormat::kI16 ? kMaxI16 : 32767;
  for (int row = first; row < first + count; ++row)
    for (int group = 0; group < tile.num_groups; ++group, x += kGroupSize)
      quantise_group(x, most, zero_point(format), tile, ptrdiff_t{group} * tile.num_rows + row);
}

// The codes of a block of weights as 16 vectors of int16 pairs, each over its 16 outputs: vector 2t has inputs 4t and
// 4t + 2, vector 2t + 1 has 4t + 1 and 4t + 3. And their scales and minima.
struct Block {
  I32 codes[kPairs];
  F32 d, m;
};

template <WeightFormat format>
INGOT_INLINE Block unpack(const uint8_t* bytes) {
  Block block;
  if constexpr (format == WeightFormat::kI16) {
    for (int k = 0; k < kPairs; ++k) block.codes[k] = load_bytes(bytes + 64 * k);
  } else if constexpr (format == WeightFormat::kQ8_0) {
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
  block.d = format == WeightFormat::kI16 ? load_bf16(scales) : load_f16(scales);
  if constexpr (format == WeightFormat::kQ4_1) block.m = load_f16(scales + kPanelRows);
  return block;
}

template <WeightFormat format>
INGOT_INLINE void prefetch_block(const uint8_t* bytes) {
  for (int line = 0; line < block_bytes(format); line += 64) prefetch(bytes + line);
}

INGOT_INLINE I32 broadcast_pair(const int16_t* p) {
  int32_t pair;
  memcpy(&pair, p, 4);
  return set1(pair);
}

template <WeightFormat format>
INGOT_INLINE I32 first_sum(const QuantisedTile& x, ptrdiff_t at) {
  return zero_point(format) ? set1(x.offsets[at]) : zero_i32();
}

// The step of the banner's formula.
template <WeightFormat format>
INGOT_INLINE F32 add_group(F32 total, I32 sum, F32 d, F32 m, const QuantisedTile& x, ptrdiff_t at) {
  F32 t = d * to_f32(sum);
  if constexpr (format == WeightFormat::kQ4_1) t = fma(m, set1(x.sums[at]), t);
  return fma(set1(x.scales[at]), t, total);
}

// One row: unpacked codes go straight to the dot products, in four chains for their latency.
template <WeightFormat format>
void multiply_row(const QuantisedTile& x, const PanelRun& run) {
  constexpr int kChains = 4;
  const uint8_t* bytes = run.panels;
  for (int panel = 0; panel < run.num_panels; ++panel) {
    F32 total = zero_f32();
    for (int group = 0; group < x.num_groups; ++group, bytes += block_bytes(format)) {
      prefetch_block<format>(bytes + kFarAhead);
      const Block block = unpack<format>(bytes);
      I32 sums[kChains] = {first_sum<format>(x, group), zero_i32(), zero_i32(), zero_i32()};
#pragma GCC unroll 16
      for (int k = 0; k < kPairs; ++k)
        sums[k % kChains] =
            dot_i16(sums[k % kChains], block.codes[k], broadcast_pair(x.values + group * kGroupSize + 2 * k));
      total = add_group<format>(total, (sums[0] + sums[1]) + (sums[2] + sums[3]), block.d, block.m, x, group);
    }
    alignas(64) float totals[kPanelRows];
    store(totals, total);
    store_totals<1>(totals, 1, panel, run);
  }
}

// One group of p panels, unpacked for all rows of a tile.
template <int p>
struct Codes {
  alignas(64) int32_t pairs[kPairs][p][kPanelRows];
  F32 d[p], m[p];
};

// Not inlined: the codes shall lie in the first-level cache, and the registers be left to accumulators.
template <WeightFormat format, int p>
__attribute__((noinline)) void unpack_group(const uint8_t* bytes, ptrdiff_t panel_bytes, Codes<p>& codes) {
  for (int q = 0; q < p; ++q, bytes += panel_bytes) {
    prefetch_block<format>(bytes + kNearAhead);
    const Block block = unpack<format>(bytes);
#pragma GCC unroll 16
    for (int k = 0; k < kPairs; ++k) store(codes.pairs[k][q], block.codes[k]);
    codes.d[q] = block.d;
    if constexpr (format == WeightFormat::kQ4_1) codes.m[q] = block.m;
  }
}

// Adds the group's products with n rows to their totals [row][panel][16]; `at` is [group][first row].
template <WeightFormat format, int n, int p>
INGOT_INLINE void add_rows(const Codes<p>& codes, const QuantisedTile& x, ptrdiff_t at, float* totals) {
  const int16_t* values = x.values + at * kGroupSize;
  I32 sums[n][p];
  for (int r = 0; r < n; ++r)
    for (int q = 0; q < p; ++q) sums[r][q] = first_sum<format>(x, at + r);
#pragma GCC unroll 16
  for (int k = 0; k < kPairs; ++k) {
    I32 pairs[p];
#pragma GCC unroll 4
    for (int q = 0; q < p; ++q) pairs[q] = load(codes.pairs[k][q]);
#pragma GCC unroll 4
    for (int r = 0; r < n; ++r) {
      const I32 value = broadcast_pair(values + kGroupSize * r + 2 * k);
#pragma GCC unroll 4
      for (int q = 0; q < p; ++q) sums[r][q] = dot_i16(sums[r][q], pairs[q], value);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < n; ++r) {
#pragma GCC unroll 4
    for (int q = 0; q < p; ++q, totals += kPanelRows)
      store(totals, add_group<format>(load(totals), sums[r][q], codes.d[q], codes.m[q], x, at + r));
  }
}

template <WeightFormat format, int p>
__attribute__((noinline)) void multiply_group(const Codes<p>& codes, const QuantisedTile& x, ptrdiff_t at,
                                              float* totals) {
  for_blocks<kBlockRows>(
      x.num_rows, [&]<int n>(int row) { add_rows<format, n, p>(codes, x, at + row, totals + kPanelRows * p * row); });
}

template <WeightFormat format>
void multiply(const QuantisedTile& x, const PanelRun& run) {
  if (x.num_rows == 1) return multiply_row<format>(x, run);
  const ptrdiff_t panel_bytes = ptrdiff_t{x.num_groups} * block_bytes(format);
  alignas(64) float totals[kTileRows * kBlockPanels * kPanelRows];
  for_blocks<kBlockPanels>(run.num_panels, [&]<int p>(int panel) {
    const uint8_t* bytes = run.panels + panel * panel_bytes;
    Codes<p> codes;
    memset(totals, 0, sizeof(float) * x.num_rows * p * kPanelRows);
    for (int group = 0; group < x.num_groups; ++group, bytes += block_bytes(format)) {
      unpack_group<format, p>(bytes, panel_bytes, codes);
      multiply_group<format, p>(codes, x, ptrdiff_t{group} * x.num_rows, totals);
    }
    store_totals<p>(totals, x.num_rows, panel, run);
  });
}

}  // namespace

template <>
const QuantisedKernels& kernel_table<QuantisedKernels, kKernelIsa>() {
  static constexpr QuantisedKernels table{
      .quantise = quantise,
      .q4_0 = multiply<WeightFormat::kQ4_0>,
      .q4_1 = multiply<WeightFormat::kQ4_1>,
      .q8_0 = multiply<WeightFormat::kQ8_0>,
      .i16 = multiply<WeightFormat::kI16>,
  };
  return table;
}

}  // namespace ingot::cpu
