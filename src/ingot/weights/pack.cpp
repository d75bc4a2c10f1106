// One function for each pair of stored type and format, each packing a stretch of one row.
#include "ingot/weights/pack.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace ingot {

namespace {

constexpr size_t kStretch =
    256;  // inputs of a panel packed at a time, so that its lines stay in the cache over 16 rows

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

float widen_f16(uint16_t half) {
  _Float16 value;
  std::memcpy(&value, &half, sizeof(value));
  return static_cast<float>(value);
}

float widen_bf16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

// Inputs [first, first + count) of row `r`; `row` and `panel` are whole.
struct Stretch {
  const std::byte* row;
  std::byte* panel;
  size_t r, first, count;
};

template <class From, class To, To (*convert)(From)>
void pack_dense(const Stretch& s) {
  for (size_t in = s.first; in < s.first + s.count; ++in)
    store<To>(s.panel + (in * kPanelRows + s.r) * sizeof(To), convert(load<From>(s.row + in * sizeof(From))));
}

template <class T>
T same(T value) {
  return value;
}

// Walks the 32-input groups of a stretch: f(stored block, packed block).
template <class Pack>
void for_groups(const Stretch& s, size_t stored_bytes, WeightFormat format, Pack&& pack) {
  for (size_t g = s.first / kGroupSize; g < (s.first + s.count) / kGroupSize; ++g)
    pack(s.row + g * stored_bytes, s.panel + g * static_cast<size_t>(block_bytes(format)));
}

// Word `j` of row `r` among a block's codes, and a row's half-precision number at `from` bytes into the block.
std::byte* code_word(std::byte* block, size_t j, size_t r) { return block + (j * kPanelRows + r) * sizeof(uint32_t); }
std::byte* half_of_row(std::byte* block, size_t from, size_t r) { return block + from + r * sizeof(uint16_t); }

constexpr uint32_t kLowNibbles = 0x0F0F0F0F;

// 16 bytes, input i and 16 + i in the halves of byte i → 4 words, inputs 8j + i and 8j + 4 + i in the halves of byte i
// of word j.
void pack_nibbles(const std::byte* stored, std::byte* block, size_t r) {
  const auto word = [&](size_t i) { return load<uint32_t>(stored + 4 * i); };
  for (size_t j = 0; j < 2; ++j) {
    const uint32_t a = word(2 * j), b = word(2 * j + 1);
    store(code_word(block, j, r), (a & kLowNibbles) | (b & kLowNibbles) << 4);
    store(code_word(block, j + 2, r), (a >> 4 & kLowNibbles) | (b & ~kLowNibbles));
  }
}

void pack_q4_0(const Stretch& s) {
  for_groups(s, 18, WeightFormat::kQ4_0, [&](const std::byte* from, std::byte* to) {
    pack_nibbles(from + 2, to, s.r);
    store(half_of_row(to, 256, s.r), load<uint16_t>(from));
  });
}

void pack_q4_1(const Stretch& s) {
  for_groups(s, 20, WeightFormat::kQ4_1, [&](const std::byte* from, std::byte* to) {
    pack_nibbles(from + 4, to, s.r);
    store(half_of_row(to, 256, s.r), load<uint16_t>(from));
    store(half_of_row(to, 288, s.r), load<uint16_t>(from + 2));
  });
}

void pack_q8_0(const Stretch& s) {
  for_groups(s, 34, WeightFormat::kQ8_0, [&](const std::byte* from, std::byte* to) {
    for (size_t j = 0; j < 8; ++j)
      store(code_word(to, j, s.r), load<uint32_t>(from + 2 + 4 * j) ^ 0x80808080);  // int8 + 128
    store(half_of_row(to, 512, s.r), load<uint16_t>(from));
  });
}

// d · (q − 8) = d · (c − 128) with c = q + 120.
void pack_q4_0_as_q8_0(const Stretch& s) {
  for_groups(s, 18, WeightFormat::kQ8_0, [&](const std::byte* from, std::byte* to) {
    for (size_t j = 0; j < 8; ++j) {
      const uint32_t nibbles = load<uint32_t>(from + 2 + 4 * (j % 4)) >> (j < 4 ? 0 : 4) & kLowNibbles;
      store(code_word(to, j, s.r), nibbles + 0x78787878);
    }
    store(half_of_row(to, 512, s.r), load<uint16_t>(from));
  });
}

// Codes in units of the power of two that gives the largest of the group 13 bits. Written for the vectoriser.
template <float (*widen)(uint16_t)>
void pack_i16(const Stretch& s) {
  constexpr uint32_t kExponent = 23, kInfinity = 0x7f800000;
  constexpr float kRound = 0x1.8p23f;  // added to a small number, leaves its nearest integer in the low bits
  for_groups(s, kGroupSize * sizeof(uint16_t), WeightFormat::kI16, [&](const std::byte* from, std::byte* to) {
    float values[kGroupSize];
    uint32_t largest = 0, codes[kGroupSize];  // the bits of magnitudes ascend with them
    for (size_t i = 0; i < kGroupSize; ++i) values[i] = widen(load<uint16_t>(from + 2 * i));
    for (const float value : values) largest = std::max(largest, std::bit_cast<uint32_t>(value) & 0x7fffffff);
    const bool finite = largest < kInfinity;
    const uint32_t scale = std::max(largest >> kExponent, 13u) - 12;  // biased exponent of d, a normal number
    const float inverse = finite ? std::bit_cast<float>((254 - scale) << kExponent) : 0.0f;
    for (size_t i = 0; i < kGroupSize; ++i) {
      const float value = finite ? values[i] : 0.0f;
      codes[i] = std::bit_cast<uint32_t>(value * inverse + kRound) & 0xffff;
    }
    for (size_t j = 0; j < kGroupSize / 2; ++j) {
      const size_t in = j / 2 * 4 + j % 2;
      store(code_word(to, j, s.r), codes[in] | codes[in + 2] << 16);
    }
    const uint32_t d = finite ? scale << kExponent : kInfinity | 1u << 22;
    store(half_of_row(to, code_bytes(WeightFormat::kI16), s.r), static_cast<uint16_t>(d >> 16));
  });
}

using PackStretch = void (*)(const Stretch&);

PackStretch packer(ElementType from, WeightFormat to) {
  if (to == WeightFormat::kF32 && from == ElementType::kF16) return pack_dense<uint16_t, float, widen_f16>;
  if (to == WeightFormat::kF32 && from == ElementType::kBf16) return pack_dense<uint16_t, float, widen_bf16>;
  if (to == WeightFormat::kQ8_0 && from == ElementType::kQ4_0) return pack_q4_0_as_q8_0;
  if (to == WeightFormat::kI16 && from == ElementType::kF16) return pack_i16<widen_f16>;
  if (to == WeightFormat::kI16 && from == ElementType::kBf16) return pack_i16<widen_bf16>;
  if (to != format_of(from)) throw std::logic_error("no exact packing between these formats");
  switch (from) {
    case ElementType::kF32:
      return pack_dense<uint32_t, uint32_t, same<uint32_t>>;
    case ElementType::kF16:
    case ElementType::kBf16:
      return pack_dense<uint16_t, uint16_t, same<uint16_t>>;
    case ElementType::kQ4_0:
      return pack_q4_0;
    case ElementType::kQ4_1:
      return pack_q4_1;
    case ElementType::kQ8_0:
      return pack_q8_0;
    default:
      break;
  }
  throw std::logic_error("not a type of weights");
}

}  // namespace

WeightFormat format_of(ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return WeightFormat::kF32;
    case ElementType::kF16:
      return WeightFormat::kF16;
    case ElementType::kBf16:
      return WeightFormat::kBf16;
    case ElementType::kQ4_0:
      return WeightFormat::kQ4_0;
    case ElementType::kQ4_1:
      return WeightFormat::kQ4_1;
    case ElementType::kQ8_0:
      return WeightFormat::kQ8_0;
    default:
      break;
  }
  throw std::logic_error("not a type of weights");
}

WeightFormat cpu_format(WeightFormat format, int64_t in_features) {
  const bool halves = format == WeightFormat::kF16 || format == WeightFormat::kBf16;
  return halves && in_features % kGroupSize == 0 ? WeightFormat::kI16 : format;
}

float stored_float(const Tensor& tensor, size_t index) {
  const std::byte* const at = tensor.data.data() + index * static_cast<size_t>(bytes_per_block(tensor.type));
  if (tensor.type == ElementType::kF32) return load<float>(at);
  return tensor.type == ElementType::kF16 ? widen_f16(load<uint16_t>(at)) : widen_bf16(load<uint16_t>(at));
}

std::optional<WeightFormat> common_format(std::span<const ElementType> types) {
  const auto only = [&](std::initializer_list<ElementType> these) {
    return std::ranges::all_of(types, [&](ElementType type) { return std::ranges::find(these, type) != these.end(); });
  };
  if (only({types.front()})) return format_of(types.front());
  if (only({ElementType::kF32, ElementType::kF16, ElementType::kBf16})) return WeightFormat::kF32;
  if (only({ElementType::kQ4_0, ElementType::kQ8_0})) return WeightFormat::kQ8_0;
  return std::nullopt;
}

void pack_panel(std::span<const StoredRow> rows, WeightFormat format, int in_features, std::byte* panel) {
  PackStretch packers[kPanelRows];
  for (size_t r = 0; r < rows.size(); ++r) packers[r] = packer(rows[r].type, format);
  const auto num_inputs = static_cast<size_t>(in_features);
  for (size_t first = 0; first < num_inputs; first += kStretch)
    for (size_t r = 0; r < rows.size(); ++r)
      packers[r]({rows[r].data, panel, r, first, std::min(kStretch, num_inputs - first)});
}

}  // namespace ingot
