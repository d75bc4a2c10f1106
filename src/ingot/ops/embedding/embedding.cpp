// Gathers table rows out of their panels.
#include "ingot/ops/embedding/embedding.h"

#include <algorithm>
#include <cstring>

#include <mlx/device.h>

#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/thread_pool.h"

namespace ingot {
namespace {

constexpr int kRowsPerTask = 16;

template <class T>
T read(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
void copy_dense(const uint8_t* panel, int lane, int in_features, float* y) {
  for (int k = 0; k < in_features; ++k)
    y[k] = static_cast<float>(read<T>(panel + (size_t(k) * kPanelRows + lane) * sizeof(T)));
}

// d · (q − zero) + m is exact in float32 but for the last sum.
template <WeightFormat format>
void copy_group(const uint8_t* block, int lane, float* y) {
  const uint8_t* scales = block + code_bytes(format) + lane * sizeof(mx::float16_t);
  const float d = static_cast<float>(read<mx::float16_t>(scales));
  for (int k = 0; k < kGroupSize; ++k) {
    int q;
    if constexpr (format == WeightFormat::kQ8_0) {
      q = block[k / 4 * 64 + lane * 4 + k % 4];
    } else {
      const uint8_t pair = block[k / 8 * 64 + lane * 4 + k % 4];
      q = k % 8 < 4 ? pair & 15 : pair >> 4;
    }
    y[k] = d * static_cast<float>(q - zero_point(format));
  }
  if constexpr (format == WeightFormat::kQ4_1) {
    const float m = static_cast<float>(read<mx::float16_t>(scales + kPanelRows * sizeof(mx::float16_t)));
    for (int k = 0; k < kGroupSize; ++k) y[k] += m;
  }
}

template <>
void copy_group<WeightFormat::kI16>(const uint8_t* block, int lane, float* y) {
  const float d =
      static_cast<float>(read<mx::bfloat16_t>(block + code_bytes(WeightFormat::kI16) + lane * sizeof(mx::bfloat16_t)));
  for (int k = 0; k < kGroupSize; ++k)
    y[k] = d * static_cast<float>(read<int16_t>(block + (k / 4 * 2 + k % 2) * 64 + lane * 4 + k % 4 / 2 * 2));
}

template <WeightFormat format>
void copy_quantised(const uint8_t* panel, int lane, int in_features, float* y) {
  for (int k = 0; k < in_features; k += kGroupSize, panel += block_bytes(format))
    copy_group<format>(panel, lane, y + k);
}

using CopyRow = void (*)(const uint8_t* panel, int lane, int in_features, float* y);

CopyRow copier(WeightFormat format) {
  switch (format) {
    case WeightFormat::kF32:
      return copy_dense<float>;
    case WeightFormat::kF16:
      return copy_dense<mx::float16_t>;
    case WeightFormat::kBf16:
      return copy_dense<mx::bfloat16_t>;
    case WeightFormat::kQ4_0:
      return copy_quantised<WeightFormat::kQ4_0>;
    case WeightFormat::kQ4_1:
      return copy_quantised<WeightFormat::kQ4_1>;
    case WeightFormat::kQ8_0:
      return copy_quantised<WeightFormat::kQ8_0>;
    case WeightFormat::kI16:
      return copy_quantised<WeightFormat::kI16>;
  }
  return nullptr;
}

}  // namespace

array embedding(const array& ids, const PackedWeight& table) {
  require(ids, mx::int32, {-1}, "embedding ids");
  require(table.data, mx::uint8, {int(table.num_panels() * table.panel_bytes())}, "embedding table");
  if (mx::default_device() != mx::Device::cpu) return embedding_reference(ids, table);
  const int num_ids = ids.shape(0), width = table.in_features, vocabulary = table.out_features;
  const auto run = [=, panel_bytes = table.panel_bytes(), copy = copier(table.format)](const std::vector<array>& in,
                                                                                       std::vector<array>& out) {
    const int32_t* id = in[0].data<int32_t>();
    const uint8_t* panels = in[1].data<uint8_t>();
    float* y = out[0].data<float>();
    cpu::ThreadPool::instance().parallel_for((num_ids + kRowsPerTask - 1) / kRowsPerTask, [&](int task) {
      for (int t = task * kRowsPerTask; t < std::min(num_ids, (task + 1) * kRowsPerTask); ++t) {
        float* row = y + size_t(t) * width;
        if (id[t] >= 0 && id[t] < vocabulary) {
          copy(panels + id[t] / kPanelRows * panel_bytes, id[t] % kPanelRows, width, row);
        } else {
          std::fill_n(row, width, 0.0f);
        }
      }
    });
  };
  return cpu::cpu_op("embedding", {ids, table.data}, {{{num_ids, width}, mx::float32}}, run)[0];
}

}  // namespace ingot
