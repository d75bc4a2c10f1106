// Paged attention on CPU: one node writes the step's keys and values, then attends.
#include "ingot/ops/attention/paged_attention.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

#include "ingot/ops/attention/attention_kernels.h"
#include "ingot/ops/attention/attention_plan.h"
#include "ingot/ops/attention/kv_pool.h"
#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/cpu/thread_pool.h"

namespace ingot {
namespace {

// The arrays of one evaluation, as the kernels see them.
struct Step {
  Step(const std::vector<array>& in, uint16_t* pool, int layer, const AttentionShape& shape, int block_size)
      : shape(shape),
        block_size(block_size),
        qkv(in[0].data<float>()),
        qkv_stride(in[0].shape(1)),
        page(in[1].shape(2)),
        pages(pool + size_t(layer) * in[1].shape(1) * page),
        query_start(in[2].data<int32_t>(), in[2].size()),
        context_len(in[3].data<int32_t>(), in[3].size()),
        block_table(in[4].data<int32_t>()),
        max_blocks(in[4].shape(1)),
        rope(in[5].data<float>()),
        query_rope(in[6].data<float>()),
        rotary_half(in[5].shape(2)) {}

  int group() const { return shape.num_heads / shape.num_kv_heads; }
  const float* key(int token, int head) const {
    return qkv + token * qkv_stride + size_t(shape.num_heads + head) * shape.head_dim;
  }
  const float* value(int token, int head) const { return key(token, head + shape.num_kv_heads); }
  const float* angles(int token) const { return rope + size_t(token) * 2 * rotary_half; }
  const float* query_angles(int token) const { return query_rope + size_t(token) * 2 * rotary_half; }
  size_t head_elements() const { return size_t{2} * block_size * shape.head_dim; }  // one head's part of a page
  int position(int row, int token) const { return context_len[row] - query_start[row + 1] + token; }
  const int32_t* blocks(int row) const { return block_table + size_t(row) * max_blocks; }

  AttentionShape shape;
  int block_size;
  const float* qkv;
  size_t qkv_stride, page;
  uint16_t* pages;
  std::span<const int32_t> query_start, context_len;
  const int32_t* block_table;
  int max_blocks;
  const float *rope, *query_rope;
  int rotary_half;
};

// Tokens of one row that lie in one block.
struct PageRun {
  int row, first_token, end_token;
};

std::vector<PageRun> cut_pages(const Step& step) {
  std::vector<PageRun> runs;
  for (int row = 0; row < int(step.context_len.size()); ++row) {
    for (int token = step.query_start[row]; token < step.query_start[row + 1];) {
      const int room = step.block_size - step.position(row, token) % step.block_size;
      const int end = std::min(step.query_start[row + 1], token + room);
      runs.push_back({row, token, end});
      token = end;
    }
  }
  return runs;
}

void write_run(const Step& step, const PageRun& run) {
  const auto& kernels = cpu::kernels<cpu::AttentionKernels>();
  const int position = step.position(run.row, run.first_token), offset = position % step.block_size;
  const size_t block = step.blocks(run.row)[position / step.block_size];
  uint16_t* page = step.pages + block * step.page;
  const bool whole = run.end_token - run.first_token == step.block_size;
  if (offset == 0 && !whole) std::memset(page, 0, step.page * sizeof(uint16_t));
  for (int head = 0; head < step.shape.num_kv_heads; ++head) {
    uint16_t* part = page + head * step.head_elements();
    for (int token = run.first_token, at = offset; token < run.end_token; ++token, ++at) {
      uint16_t* strip = part + size_t(at / kStripTokens) * kStripTokens * 2 * step.shape.head_dim;
      kernels.write_token({.key = step.key(token, head),
                           .value = step.value(token, head),
                           .rope = step.angles(token),
                           .rotary_half = step.rotary_half,
                           .head_dim = step.shape.head_dim},
                          strip, at % kStripTokens);
    }
  }
}

void write_keys_and_values(const Step& step) {
  constexpr int kHeadsPerTask = 64;  // token × head
  const std::vector<PageRun> runs = cut_pages(step);
  const int tokens = step.query_start.back(), work = tokens * step.shape.num_kv_heads;
  const int tasks = std::clamp(work / kHeadsPerTask, 1, int(runs.size()));
  cpu::ThreadPool::instance().parallel_for(tasks, [&](int task) {
    const size_t begin = runs.size() * task / tasks, end = runs.size() * (task + 1) / tasks;
    for (size_t i = begin; i < end; ++i) write_run(step, runs[i]);
  });
}

cpu::QueryTile tile_of(const Step& step, const AttentionUnit& unit) {
  return {.query =
              step.qkv + unit.first_token * step.qkv_stride + size_t(unit.kv_head) * step.group() * step.shape.head_dim,
          .query_stride = step.qkv_stride,
          .rope = step.query_angles(unit.first_token),
          .rotary_half = step.rotary_half,
          .num_tokens = unit.num_tokens,
          .group = step.group(),
          .head_dim = step.shape.head_dim,
          .scale = step.shape.scale * std::numbers::log2e_v<float>,
          .first_position = step.position(unit.row, unit.first_token),
          .window = step.shape.window,
          .pages = step.pages + unit.kv_head * step.head_elements(),
          .page_stride = step.page,
          .block_table = step.blocks(unit.row),
          .block_size = step.block_size};
}

// A thread's memory for one piece: scratch, then two states. Kept between calls.
float* piece_memory(size_t floats) {
  thread_local std::unique_ptr<float[]> memory;
  thread_local size_t size = 0;
  if (size < floats) memory = std::make_unique_for_overwrite<float[]>(size = floats);
  return memory.get();
}

void attend(const Step& step, float* out) {
  cpu::ThreadPool& pool = cpu::ThreadPool::instance();
  const auto& kernels = cpu::kernels<cpu::AttentionKernels>();
  const AttentionPlan plan = plan_attention(step.query_start, step.context_len, step.shape, pool.num_threads());
  const int dim = step.shape.head_dim;
  const size_t out_stride = size_t(step.shape.num_heads) * dim;
  int rows = 0;
  for (const AttentionUnit& unit : plan.units) rows = std::max(rows, unit.num_tokens * step.group());
  const size_t state_size = cpu::state_floats(rows, dim), scratch_size = cpu::scratch_floats(rows, dim);
  const auto partials = std::make_unique_for_overwrite<float[]>(plan.num_partials * state_size);
  const auto state_of = [&](const AttentionUnit& unit, int split) {
    return partials.get() + (unit.partial + split - unit.first_split) * state_size;
  };
  const auto finish = [&](const AttentionUnit& unit, const cpu::QueryTile& tile, const float* state) {
    float* head = out + unit.first_token * out_stride + size_t(unit.kv_head) * tile.group * dim;
    kernels.finish(tile, state, head, out_stride);
  };

  pool.parallel_for(int(plan.pieces.size()), [&](int i) {
    const AttentionPiece& piece = plan.pieces[i];
    const AttentionUnit& unit = plan.units[piece.unit];
    const cpu::QueryTile tile = tile_of(step, unit);
    float* scratch = piece_memory(scratch_size + 2 * state_size);
    float *state = scratch + scratch_size, *later = state + state_size;
    kernels.load_queries(tile, scratch);
    if (piece.split >= 0) return kernels.attend_split(tile, piece.split, scratch, state_of(unit, piece.split));
    kernels.attend_split(tile, unit.first_split, scratch, state);
    for (int split = unit.first_split + 1; split < unit.end_split; ++split) {
      kernels.attend_split(tile, split, scratch, later);
      kernels.merge(state, later, tile.rows(), dim);
    }
    finish(unit, tile, state);
  });

  if (plan.num_partials == 0) return;
  for (const AttentionUnit& unit : plan.units) {
    if (unit.partial < 0) continue;
    const cpu::QueryTile tile = tile_of(step, unit);
    float* state = state_of(unit, unit.first_split);
    for (int split = unit.first_split + 1; split < unit.end_split; ++split)
      kernels.merge(state, state_of(unit, split), tile.rows(), dim);
    finish(unit, tile, state);
  }
}

void check(const array& qkv, const array& pool, int layer, const AttentionMeta& meta, const AttentionShape& shape) {
  const auto refuse = [](std::string why) { throw std::invalid_argument("paged_attention: " + why); };
  if (shape.num_kv_heads < 1 || shape.num_heads < 1 || shape.num_heads % shape.num_kv_heads != 0)
    refuse(fmt::format("{} query heads do not divide among {} KV heads", shape.num_heads, shape.num_kv_heads));
  if (shape.head_dim < 16 || shape.head_dim % 16 != 0 || shape.head_dim > cpu::kMaxHeadDim)
    refuse(fmt::format("head size {} is not a multiple of 16 up to {}", shape.head_dim, cpu::kMaxHeadDim));
  if (meta.block_size < kStripTokens || meta.block_size % kStripTokens != 0)
    refuse(fmt::format("block size {} is not a multiple of {}", meta.block_size, kStripTokens));
  if (!(shape.scale > 0.0f)) refuse(fmt::format("scale {} is not positive", shape.scale));
  require(qkv, mx::float32, {-1, (shape.num_heads + 2 * shape.num_kv_heads) * shape.head_dim}, "paged_attention qkv");
  require(pool, mx::bfloat16, {-1, -1, 2 * meta.block_size * shape.num_kv_heads * shape.head_dim},
          "paged_attention pool");
  if (layer < 0 || layer >= pool.shape(0)) refuse(fmt::format("layer {} of {}", layer, pool.shape(0)));
  require(meta.context_len, mx::int32, {-1}, "paged_attention context_len");
  const int rows = meta.context_len.shape(0);
  require(meta.query_start, mx::int32, {rows + 1}, "paged_attention query_start");
  require(meta.block_table, mx::int32, {rows, -1}, "paged_attention block_table");
  require(meta.rope, mx::float32, {qkv.shape(0), 2, -1}, "paged_attention rope");
  if (meta.query_rope)
    require(*meta.query_rope, mx::float32, {qkv.shape(0), 2, meta.rope.shape(2)}, "paged_attention query_rope");
  if (2 * meta.rope.shape(2) > shape.head_dim)
    refuse(fmt::format("rope rotates {} channels of {}", 2 * meta.rope.shape(2), shape.head_dim));
}

}  // namespace

Attended paged_attention(const array& qkv, const array& pool, int layer, const AttentionMeta& meta,
                         const AttentionShape& shape) {
  check(qkv, pool, layer, meta, shape);
  const auto outputs = cpu::cpu_op(
      "paged_attention",
      {qkv, pool, meta.query_start, meta.context_len, meta.block_table, meta.rope, meta.query_rope.value_or(meta.rope)},
      {{{qkv.shape(0), shape.num_heads * shape.head_dim}, mx::float32}, {pool.shape(), mx::bfloat16, 1}},
      [=, block_size = meta.block_size](const std::vector<array>& in, std::vector<array>& out) {
        auto* pages = reinterpret_cast<uint16_t*>(out[1].data<mx::bfloat16_t>());
        const Step step(in, pages, layer, shape, block_size);
        write_keys_and_values(step);
        attend(step, out[0].data<float>());
      });
  return {.out = outputs[0], .pool = outputs[1]};
}

}  // namespace ingot
