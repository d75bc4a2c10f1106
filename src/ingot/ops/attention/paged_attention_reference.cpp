// Paged attention by MLX operations: a dense [token, context] mask over gathered pages, all of it in the graph.
#include "ingot/ops/attention/paged_attention_reference.h"

#include <limits>

#include "ingot/ops/attention/kv_pool.h"

namespace ingot::reference {
namespace {

array column(const array& a) { return mx::expand_dims(a, 1); }

// Rotates the first channels of x[T, heads, D] by rope[T, 2, rotary / 2].
array rotate(const array& x, const array& rope) {
  const int half = rope.shape(2);
  const std::vector<array> parts = mx::split(x, mx::Shape{half, 2 * half}, 2);
  const std::vector<array> angle = mx::split(rope, 2, 1);  // each [T, 1, rotary / 2]
  const array &cosine = angle[0], &sine = angle[1];
  const array &a = parts[0], &b = parts[1];
  return mx::concatenate({a * cosine - b * sine, b * cosine + a * sine, parts[2]}, 2);
}

// One layer of a pool and how its pages are drawn.
struct Pages {
  const array& pool;
  int layer, block_size;
  AttentionShape shape;
};

// Flat places in the pool of K ([…, kv_heads, D]) or V for tokens at `offset`[…] of `block`[…], as kv_pool.h draws it.
array places(const Pages& pages, const array& block, const array& offset, bool values) {
  const auto& [pool, layer, block_size, shape] = pages;
  const int dim = shape.head_dim, strip = dim * kStripTokens;
  const auto i64 = [](const array& a) { return mx::astype(a, mx::int64); };
  const auto n = [](int64_t value) { return array(value, mx::int64); };
  const array b = mx::expand_dims(i64(block), {-2, -1}), o = mx::expand_dims(i64(offset), {-2, -1});
  const array head = mx::reshape(mx::arange(0, shape.num_kv_heads, mx::int64), {shape.num_kv_heads, 1});
  const array c = mx::arange(0, dim, mx::int64);
  const array page = (b + n(int64_t(layer) * pool.shape(1))) * n(pool.shape(2));
  const array token = mx::remainder(o, n(kStripTokens));
  const array strips = (head * n(block_size / kStripTokens) + mx::floor_divide(o, n(kStripTokens))) * n(2 * strip);
  const array in_strip =
      values ? n(strip) + mx::floor_divide(token, n(2)) * n(2 * dim) + c * n(2) + mx::remainder(token, n(2))
             : mx::floor_divide(c, n(2)) * n(32) + token * n(2) + mx::remainder(c, n(2));
  return page + strips + in_strip;
}

// What each token of the batch is: its row, its position, and the block and offset that hold it.
struct Tokens {
  array row, position, block, offset;
};

Tokens place_tokens(int num_tokens, const AttentionMeta& meta) {
  const int num_rows = meta.context_len.shape(0);
  const array t = mx::arange(0, num_tokens, mx::int32);
  const array ends = mx::slice(meta.query_start, {1}, {num_rows + 1});
  const array row = mx::sum(mx::astype(column(t) >= mx::expand_dims(ends, 0), mx::int32), 1);
  const array position = mx::take(meta.context_len, row) - mx::take(ends, row) + t;
  const array size = array(meta.block_size, mx::int32);
  const array slot = row * array(meta.block_table.shape(1), mx::int32) + mx::floor_divide(position, size);
  return {row, position, mx::take(mx::flatten(meta.block_table), slot), mx::remainder(position, size)};
}

array write(const array& pool, const array& places, const array& values) {
  const array updates = mx::reshape(mx::astype(values, mx::bfloat16), {int(values.size()), 1});
  return mx::reshape(mx::scatter(mx::flatten(pool), mx::flatten(places), updates, 0), pool.shape());
}

}  // namespace

Attended paged_attention(const array& qkv, const array& pool, int layer, const AttentionMeta& meta,
                         const AttentionShape& shape) {
  const int num_tokens = qkv.shape(0), num_rows = meta.context_len.shape(0), dim = shape.head_dim;
  const int heads = shape.num_heads, kv_heads = shape.num_kv_heads, group = heads / kv_heads;
  const int context = meta.block_table.shape(1) * meta.block_size;
  const std::vector<array> parts =
      mx::split(mx::reshape(qkv, {num_tokens, heads + 2 * kv_heads, dim}), mx::Shape{heads, heads + kv_heads}, 1);
  const Pages pages{pool, layer, meta.block_size, shape};
  const Tokens tokens = place_tokens(num_tokens, meta);
  const auto written = [&](bool values) { return places(pages, tokens.block, tokens.offset, values); };
  const array new_pool = write(write(pool, written(false), rotate(parts[1], meta.rope)), written(true), parts[2]);

  const array at = mx::arange(0, context, mx::int32);
  const array offset = mx::broadcast_to(mx::remainder(at, array(meta.block_size, mx::int32)), {num_rows, context});
  const array block = mx::repeat(meta.block_table, meta.block_size, 1);
  const array seen_by = mx::expand_dims(at, 0), position = column(tokens.position);
  array mask = seen_by <= position;  // [T, context]
  if (shape.window > 0) mask = mx::logical_and(mask, seen_by > position - array(shape.window, mx::int32));
  const auto gather = [&](bool values) {  // [T, kv_heads, context, D], zero where nothing is seen
    const array all = mx::take(mx::flatten(new_pool), places(pages, block, offset, values));
    const array mine = mx::transpose(mx::astype(mx::take(all, tokens.row, 0), mx::float32), {0, 2, 1, 3});
    return mx::where(mx::expand_dims(mask, {1, 3}), mine, array(0.0f));
  };

  const array query =
      mx::reshape(rotate(parts[0], meta.query_rope.value_or(meta.rope)), {num_tokens, kv_heads, group, dim});
  array scores = mx::matmul(query, mx::transpose(gather(false), {0, 1, 3, 2})) * array(shape.scale);
  scores = mx::where(mx::expand_dims(mask, {1, 2}), scores, array(-std::numeric_limits<float>::infinity()));
  const array out = mx::matmul(mx::softmax(scores, -1), gather(true));
  return {.out = mx::reshape(out, {num_tokens, heads * dim}), .pool = new_pool};
}

}  // namespace ingot::reference
