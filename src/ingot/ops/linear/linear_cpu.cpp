// Splits a product into tasks: a tile of rows times a run of panels each.
#include "ingot/ops/linear/linear_cpu.h"

#include <algorithm>

#include "ingot/ops/cpu/workspace.h"
#include "ingot/ops/linear/dense_kernels.h"
#include "ingot/ops/linear/quantised_kernels.h"

namespace ingot::cpu {
namespace {

constexpr int kChunkRows = 512;       // rows quantised at once: bounds the workspace
constexpr int kTasksPerThread = 4;    // a thread that was late leaves tasks to the others
constexpr int kMinPanels = 4;         // a task is worth its hand-out
constexpr int kQuantiseAlone = 4096;  // values that are quantised before a second thread would wake

constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

// The rows of a chunk, quantised, tile after tile.
class QuantisedRows {
 public:
  QuantisedRows(int num_rows, int num_groups) : num_rows_(num_rows), num_groups_(num_groups) {
    const size_t count = size_t(num_rows) * num_groups;
    values_ = reinterpret_cast<int16_t*>(workspace(count * (2 * kGroupSize + 4 + 4 + 4)));
    scales_ = reinterpret_cast<float*>(values_ + count * kGroupSize);
    sums_ = scales_ + count;
    offsets_ = reinterpret_cast<int32_t*>(sums_ + count);
  }

  int num_tiles() const { return ceil_div(num_rows_, kTileRows); }

  QuantisedTile tile(int i) const {
    const size_t at = size_t(i) * kTileRows * num_groups_;
    return {std::min(kTileRows, num_rows_ - i * kTileRows),
            num_groups_,
            values_ + at * kGroupSize,
            scales_ + at,
            sums_ + at,
            offsets_ + at};
  }

  void fill(const float* x, WeightFormat format, ThreadPool& pool, const QuantisedKernels& kernels) const {
    const int in_features = num_groups_ * kGroupSize;
    const int rows_per_task = std::max(kQuantiseAlone / in_features, 1);
    pool.parallel_for(ceil_div(num_rows_, rows_per_task), [&](int task) {
      const int end = std::min(num_rows_, (task + 1) * rows_per_task);
      for (int row = task * rows_per_task; row < end;) {
        const int first = row % kTileRows, count = std::min(end - row, kTileRows - first);
        kernels.quantise(x + ptrdiff_t{row} * in_features, first, count, format, tile(row / kTileRows));
        row += count;
      }
    });
  }

 private:
  int num_rows_, num_groups_;
  int16_t* values_;
  float *scales_, *sums_;
  int32_t* offsets_;
};

// Runs multiply(tile, run) for every pair of a tile of rows and a run of panels.
template <class Multiply>
void for_each_product(const LinearShape& shape, const LinearWeight& weight, float* y, ThreadPool& pool,
                      const Multiply& multiply) {
  const int num_panels = ceil_div(shape.out_features, kPanelRows);
  const int blocks = is_quantised(shape.format) ? shape.in_features / kGroupSize : shape.in_features;
  const size_t panel_bytes = size_t(blocks) * block_bytes(shape.format);
  const int num_tiles = ceil_div(shape.num_rows, kTileRows);
  const int runs_wanted = ceil_div(pool.num_threads() == 1 ? 1 : pool.num_threads() * kTasksPerThread, num_tiles);
  const int run_panels = std::max(ceil_div(num_panels, runs_wanted), kMinPanels);
  const int num_runs = ceil_div(num_panels, run_panels);
  pool.parallel_for(num_runs * num_tiles, [&](int task) {
    const int tile = task % num_tiles, first = task / num_tiles * run_panels;
    const int count = std::min(run_panels, num_panels - first);
    multiply(tile, PanelRun{weight.panels + first * panel_bytes, count,
                            std::min(count * kPanelRows, shape.out_features - first * kPanelRows),
                            y + ptrdiff_t{tile} * kTileRows * shape.out_features + first * kPanelRows,
                            shape.out_features, weight.bias ? weight.bias + first * kPanelRows : nullptr});
  });
}

void run_dense(const LinearShape& shape, const float* x, const LinearWeight& weight, float* y, ThreadPool& pool,
               Isa isa) {
  const DenseKernels& kernels = cpu::kernels<DenseKernels>(isa);
  const auto multiply = shape.format == WeightFormat::kF32   ? kernels.f32
                        : shape.format == WeightFormat::kF16 ? kernels.f16
                                                             : kernels.bf16;
  for_each_product(shape, weight, y, pool, [&](int tile, const PanelRun& run) {
    const int first = tile * kTileRows;
    multiply({x + ptrdiff_t{first} * shape.in_features, std::min(kTileRows, shape.num_rows - first), shape.in_features},
             run);
  });
}

void run_quantised(const LinearShape& shape, const float* x, const LinearWeight& weight, float* y, ThreadPool& pool,
                   Isa isa) {
  const QuantisedKernels& kernels = cpu::kernels<QuantisedKernels>(isa);
  const auto multiply = shape.format == WeightFormat::kQ4_0   ? kernels.q4_0
                        : shape.format == WeightFormat::kQ4_1 ? kernels.q4_1
                        : shape.format == WeightFormat::kQ8_0 ? kernels.q8_0
                                                              : kernels.i16;
  LinearShape chunk = shape;
  for (int first = 0; first < shape.num_rows; first += kChunkRows) {
    chunk.num_rows = std::min(kChunkRows, shape.num_rows - first);
    const QuantisedRows rows(chunk.num_rows, shape.in_features / kGroupSize);
    rows.fill(x + ptrdiff_t{first} * shape.in_features, shape.format, pool, kernels);
    for_each_product(chunk, weight, y + ptrdiff_t{first} * shape.out_features, pool,
                     [&](int tile, const PanelRun& run) { multiply(rows.tile(tile), run); });
  }
}

}  // namespace

void run_linear(const LinearShape& shape, const float* x, const LinearWeight& weight, float* y, ThreadPool& pool,
                Isa isa) {
  (is_quantised(shape.format) ? run_quantised : run_dense)(shape, x, weight, y, pool, isa);
}

}  // namespace ingot::cpu
