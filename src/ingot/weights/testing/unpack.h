// Reads a packed weight back, by the words of tensor/packed_weight.h: the tests' oracle.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ingot/tensor/packed_weight.h"

namespace ingot::testing {

inline float half_to_float(const uint8_t* at) {
  _Float16 value;
  std::memcpy(&value, at, sizeof(value));
  return static_cast<float>(value);
}

// One element of a panel.
inline float unpack_element(const uint8_t* panel, WeightFormat format, int row, int in) {
  if (!is_quantised(format)) {
    const int size = block_bytes(format) / kPanelRows;
    const uint8_t* const at = panel + (size_t(in) * kPanelRows + row) * size;
    if (format == WeightFormat::kF16) return half_to_float(at);
    uint32_t bits = 0;
    std::memcpy(&bits, at, size);
    return std::bit_cast<float>(format == WeightFormat::kBf16 ? bits << 16 : bits);
  }
  const uint8_t* const block = panel + size_t(in / kGroupSize) * block_bytes(format);
  const int i = in % kGroupSize;
  if (format == WeightFormat::kI16) {
    int16_t q = 0;
    uint16_t d = 0;
    std::memcpy(&q, block + ((i / 4 * 2 + i % 2) * kPanelRows + row) * 4 + i % 4 / 2 * 2, sizeof(q));
    std::memcpy(&d, block + 1024 + 2 * row, sizeof(d));
    return std::bit_cast<float>(uint32_t{d} << 16) * static_cast<float>(q);
  }
  if (format == WeightFormat::kQ8_0) {
    const int q = block[(i / 4 * kPanelRows + row) * 4 + i % 4];
    return half_to_float(block + 512 + 2 * row) * static_cast<float>(q - 128);
  }
  const int byte = block[(i / 8 * kPanelRows + row) * 4 + i % 4];
  const int q = i % 8 < 4 ? byte & 15 : byte >> 4;
  const float d = half_to_float(block + 256 + 2 * row);
  if (format == WeightFormat::kQ4_0) return d * static_cast<float>(q - 8);
  return d * static_cast<float>(q) + half_to_float(block + 288 + 2 * row);
}

// Row-major [rows, in_features]; `rows` may count the padding in.
inline std::vector<float> unpack(const PackedWeight& w, int rows) {
  std::vector<float> values;
  for (int row = 0; row < rows; ++row) {
    const uint8_t* const panel = w.data.data<uint8_t>() + size_t(row / kPanelRows) * w.panel_bytes();
    for (int in = 0; in < w.in_features; ++in) values.push_back(unpack_element(panel, w.format, row % kPanelRows, in));
  }
  return values;
}

}  // namespace ingot::testing
