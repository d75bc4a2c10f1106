// Random packed weights for tests, and what each of their elements is by the layout's definition.
#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "ingot/tensor/packed_weight.h"

namespace ingot {

inline constexpr WeightFormat kAllFormats[] = {WeightFormat::kF32,  WeightFormat::kF16,  WeightFormat::kBf16,
                                               WeightFormat::kQ4_0, WeightFormat::kQ4_1, WeightFormat::kQ8_0,
                                               WeightFormat::kI16};

inline const char* format_name(WeightFormat format) {
  constexpr const char* kNames[] = {"f32", "f16", "bf16", "q4_0", "q4_1", "q8_0", "i16"};
  return kNames[static_cast<int>(format)];
}

inline void put_f16(uint8_t* at, float value) {
  const mx::float16_t half(value);
  std::memcpy(at, &half, sizeof half);
}

inline float get_f16(const uint8_t* at) {
  mx::float16_t half;
  std::memcpy(&half, at, sizeof half);
  return static_cast<float>(half);
}

// Codes are random bytes, scales and minima random halves of both signs; padding rows hold garbage too, which no output
// may show.
inline PackedWeight random_weight(WeightFormat format, int out_features, int in_features, unsigned seed = 1) {
  PackedWeight weight{format, out_features, in_features, array(0)};
  std::vector<uint8_t> bytes(weight.num_panels() * weight.panel_bytes());
  std::mt19937 rng(seed);
  std::normal_distribution<float> normal(0.0f, 0.05f);
  const int size = block_bytes(format);
  for (size_t block = 0; block < bytes.size(); block += size) {
    uint8_t* at = bytes.data() + block;
    int i = 0;
    if (format == WeightFormat::kI16) {
      for (; i < code_bytes(format); i += 2) {
        const auto code = static_cast<int16_t>(static_cast<int>(rng() % (2 * kMaxI16 + 1)) - kMaxI16);
        std::memcpy(at + i, &code, 2);
      }
    } else if (is_quantised(format)) {
      for (; i < code_bytes(format); ++i) at[i] = static_cast<uint8_t>(rng());
    }
    for (; i < size; i += format == WeightFormat::kF32 ? 4 : 2) {
      const float value = normal(rng);
      const mx::bfloat16_t brain(format == WeightFormat::kI16 ? std::exp2(-20.0f + static_cast<float>(rng() % 8))
                                                              : value);
      if (format == WeightFormat::kF32)
        std::memcpy(at + i, &value, 4);
      else if (format == WeightFormat::kBf16 || format == WeightFormat::kI16)
        std::memcpy(at + i, &brain, 2);
      else
        put_f16(at + i, value);
    }
  }
  weight.data = array(bytes.data(), {static_cast<int>(bytes.size())}, mx::uint8);
  return weight;
}

// W[out, in], read as tensor/weight_format.h says.
inline double weight_at(const PackedWeight& weight, int out, int in) {
  const uint8_t* panel = weight.data.data<uint8_t>() + out / kPanelRows * weight.panel_bytes();
  const int lane = out % kPanelRows;
  if (!is_quantised(weight.format)) {
    const uint8_t* row = panel + size_t(in) * block_bytes(weight.format);
    float value;
    mx::bfloat16_t brain;
    if (weight.format == WeightFormat::kF16) return get_f16(row + 2 * lane);
    if (weight.format == WeightFormat::kF32) return std::memcpy(&value, row + 4 * lane, 4), value;
    return std::memcpy(&brain, row + 2 * lane, 2), static_cast<float>(brain);
  }
  const uint8_t* block = panel + size_t(in / kGroupSize) * block_bytes(weight.format);
  const int k = in % kGroupSize;
  if (weight.format == WeightFormat::kI16) {
    mx::bfloat16_t scale;
    int16_t code;
    std::memcpy(&scale, block + code_bytes(weight.format) + 2 * lane, 2);
    std::memcpy(&code, block + ((k / 4 * 2 + k % 2) * 16 + lane) * 4 + k % 4 / 2 * 2, 2);
    return static_cast<double>(static_cast<float>(scale)) * code;
  }
  const double d = get_f16(block + code_bytes(weight.format) + 2 * lane);
  if (weight.format == WeightFormat::kQ8_0) return d * (block[(k / 4 * 16 + lane) * 4 + k % 4] - 128);
  const uint8_t pair = block[(k / 8 * 16 + lane) * 4 + k % 4];
  const int q = k % 8 < 4 ? pair % 16 : pair / 16;
  if (weight.format == WeightFormat::kQ4_0) return d * (q - 8);
  return d * q + get_f16(block + code_bytes(weight.format) + 32 + 2 * lane);
}

}  // namespace ingot
