// Paged attention against the fallback over odd shapes on every instruction set, and the invariance on bits.
#include "ingot/ops/attention/paged_attention.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <mlx/random.h>

#include "ingot/ops/attention/attention_kernels.h"
#include "ingot/ops/attention/kv_pool.h"
#include "ingot/ops/attention/paged_attention_reference.h"
#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/rope/rope.h"

namespace ingot {
namespace {

struct Row {
  int context = 0;     // tokens once the step is done
  int num_tokens = 0;  // of the step
};

// Sequences of random activations, fed in steps to a pool whose blocks lie in random order.
class Sequences {
 public:
  Sequences(AttentionShape shape, int block_size, const std::vector<int>& lengths, int rotary_dim = 0, int seed = 1)
      : shape_(shape), block_size_(block_size), rotary_dim_(rotary_dim ? rotary_dim : shape.head_dim) {
    mx::random::seed(seed);
    int max_length = 1;
    for (int length : lengths) {
      qkv_.push_back(mx::random::normal({length, (shape.num_heads + 2 * shape.num_kv_heads) * shape.head_dim}));
      qkv_.back().eval();
      max_length = std::max(max_length, length);
    }
    max_blocks_ = (max_length + block_size - 1) / block_size;
    num_blocks_ = 1 + int(lengths.size()) * max_blocks_;
    blocks_.resize(num_blocks_ - 1);
    for (int i = 0; i < num_blocks_ - 1; ++i) blocks_[i] = i + 1;
    std::shuffle(blocks_.begin(), blocks_.end(), std::mt19937(seed));
  }

  // Two layers, of which the second is used; NaN everywhere, as a former owner could have left it.
  array fresh_pool() const {
    const KvGroup group{{KvKind::kFull, shape_.num_kv_heads, shape_.head_dim, 0}, {0, 1}};
    array pool = make_kv_pool(group, num_blocks_, block_size_);
    auto* bits = reinterpret_cast<uint16_t*>(pool.data<mx::bfloat16_t>());
    std::fill(bits, bits + pool.size(), uint16_t{0x7fc0});
    return pool;
  }

  // A step of the given rows, one for each sequence (num_tokens 0 leaves it out).
  struct Inputs {
    array qkv;
    AttentionMeta meta;
  };
  Inputs step(const std::vector<Row>& rows) const {
    std::vector<int32_t> query_start = {0}, context_len, table, positions;
    std::vector<array> parts;
    for (size_t r = 0; r < rows.size(); ++r) {
      if (rows[r].num_tokens == 0) continue;
      const int begin = rows[r].context - rows[r].num_tokens;
      parts.push_back(mx::slice(qkv_[r], {begin, 0}, {rows[r].context, qkv_[r].shape(1)}));
      for (int p = begin; p < rows[r].context; ++p) positions.push_back(p);
      query_start.push_back(query_start.back() + rows[r].num_tokens);
      context_len.push_back(rows[r].context);
      for (int b = 0; b < max_blocks_; ++b) table.push_back(blocks_[r * max_blocks_ + b]);
    }
    const array freq = from_host(default_inv_freq(10000.0f, rotary_dim_));
    AttentionMeta meta{.query_start = from_host(query_start),
                       .context_len = from_host(context_len),
                       .block_table = mx::reshape(from_host(table), {int(context_len.size()), max_blocks_}),
                       .rope = rope_table(from_host(positions), freq),
                       .block_size = block_size_};
    return {mx::contiguous(mx::concatenate(parts, 0)), meta};
  }

  Attended run(const std::vector<Row>& rows, const array& pool) const {
    const Inputs in = step(rows);
    return paged_attention(in.qkv, pool, 1, in.meta, shape_);
  }

  // All of one sequence's outputs, taken in chunks.
  array in_chunks(int sequence, int length, int chunk) const {
    array pool = fresh_pool();
    std::vector<array> outs;
    for (int done = 0; done < length;) {
      std::vector<Row> rows(qkv_.size());
      const int n = std::min(chunk, length - done);
      rows[sequence] = {done + n, n};
      Attended a = run(rows, pool);
      pool = a.pool;
      outs.push_back(a.out);
      done += n;
    }
    return mx::concatenate(outs, 0);
  }

  const AttentionShape& shape() const { return shape_; }

 private:
  AttentionShape shape_;
  int block_size_, rotary_dim_, max_blocks_ = 0, num_blocks_ = 0;
  std::vector<array> qkv_;
  std::vector<int32_t> blocks_;
};

AttentionShape shape_of(int heads, int kv_heads, int dim, int window = 0) {
  return {.num_heads = heads,
          .num_kv_heads = kv_heads,
          .head_dim = dim,
          .scale = 1.0f / std::sqrt(float(dim)),
          .window = window};
}

bool same_bits(const array& a, const array& b) { return mx::array_equal(a, b).item<bool>(); }

// Each row's first step writes its context, the second is compared with the fallback on the same pool.
void expect_equals_fallback(const Sequences& sequences, const std::vector<Row>& rows) {
  std::vector<Row> before = rows;
  for (Row& row : before) row = {row.context - row.num_tokens, row.context - row.num_tokens};
  array pool = sequences.fresh_pool();
  if (std::ranges::any_of(before, [](const Row& row) { return row.num_tokens > 0; }))
    pool = sequences.run(before, pool).pool;
  pool.eval();
  const Sequences::Inputs in = sequences.step(rows);
  const array expected = reference::paged_attention(in.qkv, pool, 1, in.meta, sequences.shape()).out;
  mx::eval(expected);
  const array actual = paged_attention(in.qkv, pool, 1, in.meta, sequences.shape()).out;
  const float error = mx::max(mx::abs(actual - expected)).item<float>();
  EXPECT_LT(error, 0.02f);  // bfloat16 queries and probabilities on outputs of order 1
  EXPECT_LT(std::sqrt(mx::mean(mx::square(actual - expected)).item<float>()), 0.003f);
}

TEST(PagedAttention, EqualsFallback) {
  struct Case {
    int heads, kv_heads, dim, block_size, rotary, window;
  };
  for (const Case& c : {Case{9, 3, 64, 16, 0, 0}, Case{4, 4, 16, 32, 0, 0}, Case{8, 1, 80, 16, 32, 0},
                        Case{6, 2, 96, 48, 40, 0}, Case{2, 1, 128, 64, 0, 40}, Case{7, 1, 256, 16, 0, 17}}) {
    SCOPED_TRACE(testing::Message() << c.heads << "/" << c.kv_heads << " × " << c.dim << " window " << c.window);
    const Sequences sequences(shape_of(c.heads, c.kv_heads, c.dim, c.window), c.block_size, {1, 70, 200, 65, 130},
                              c.rotary);
    expect_equals_fallback(sequences, {{1, 1}, {70, 70}, {200, 1}, {65, 2}, {130, 33}});
  }
}

TEST(PagedAttention, EqualsFallbackOnLongContexts) {
  for (const int window : {0, 300}) {
    const Sequences sequences(shape_of(3, 1, 64, window), 16, {1600, 530});
    expect_equals_fallback(sequences, {{1600, 1}, {530, 100}});
  }
}

// users.md 89: a query sees itself and window − 1 keys, against a dense mask, in one step, in chunks and decoded.
TEST(PagedAttention, User89WindowsEndWhereADenseMaskEndsThem) {
  for (const int window : {1, 16, 40, 64, 130}) {
    for (const int length : {window - 1, window, window + 1, 2 * window}) {
      if (length == 0) continue;
      const Sequences sequences(shape_of(4, 2, 32, window), 16, {length});
      expect_equals_fallback(sequences, {{length, length}});  // all at once
      expect_equals_fallback(sequences, {{length, 1}});       // decoded
      const array whole = sequences.in_chunks(0, length, length);
      for (const int chunk : {1, 7, 16}) EXPECT_TRUE(same_bits(whole, sequences.in_chunks(0, length, chunk))) << chunk;
      // The same with a window of one more differs from the position on that would see one key more.
      const Sequences wider(shape_of(4, 2, 32, window + 1), 16, {length});
      const array other = wider.in_chunks(0, length, length);
      const auto first = [&](int end) { return end > 0 ? mx::slice(whole, {0, 0}, {end, 128}) : mx::zeros({1}); };
      const auto first_other = [&](int end) { return end > 0 ? mx::slice(other, {0, 0}, {end, 128}) : mx::zeros({1}); };
      EXPECT_TRUE(same_bits(first(std::min(length, window)), first_other(std::min(length, window)))) << length;
      EXPECT_EQ(same_bits(whole, other), length <= window) << length;
    }
  }
}

TEST(PagedAttention, WritesThePoolInPlaceAsDrawn) {
  const Sequences sequences(shape_of(4, 2, 32), 32, {50});
  array pool = sequences.fresh_pool();
  const array before = sequences.fresh_pool();
  const void* buffer = pool.data<mx::bfloat16_t>();
  array written = sequences.run({{50, 50}}, pool).pool;
  written.eval();
  EXPECT_EQ(written.data<mx::bfloat16_t>(), buffer);
  const Sequences::Inputs in = sequences.step({{50, 50}});
  const array expected = reference::paged_attention(in.qkv, before, 1, in.meta, sequences.shape()).pool;
  // What the step wrote is what the fallback wrote; the rest of its pages is zero in one and NaN in the other.
  const array seen = mx::logical_not(mx::isnan(mx::astype(expected, mx::float32)));
  EXPECT_EQ(mx::sum(mx::astype(seen, mx::int32)).item<int32_t>(), 50 * 2 * 2 * 32);
  const array close = mx::abs(mx::astype(written, mx::float32) - mx::astype(expected, mx::float32)) <= array(0.02f);
  EXPECT_TRUE(mx::all(mx::logical_or(mx::logical_not(seen), close)).item<bool>());
}

TEST(PagedAttention, DoesNotDependOnTheChunks) {
  for (const int window : {0, 100, 700}) {
    const Sequences sequences(shape_of(6, 2, 64, window), 16, {1100});
    const array whole = sequences.in_chunks(0, 1100, 1100);
    for (const int chunk : {1, 16, 37, 512}) {
      if (chunk == 1 && window == 700) continue;
      EXPECT_TRUE(same_bits(whole, sequences.in_chunks(0, 1100, chunk))) << "chunk " << chunk << " window " << window;
    }
  }
}

TEST(PagedAttention, DoesNotDependOnTheBatch) {
  const std::vector<int> lengths = {1300, 33, 600, 64, 1};
  const Sequences sequences(shape_of(8, 2, 128), 16, lengths);
  const std::vector<Row> before = {{1299, 1299}, {16, 16}, {100, 100}, {0, 0}, {0, 0}};
  const std::vector<Row> rows = {{1300, 1}, {33, 17}, {600, 500}, {64, 64}, {1, 1}};
  Attended filled = sequences.run(before, sequences.fresh_pool());
  const array together = sequences.run(rows, filled.pool).out;
  int start = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::vector<Row> alone_before(rows.size()), alone(rows.size());
    alone_before[r] = before[r], alone[r] = rows[r];
    array pool = sequences.fresh_pool();
    if (before[r].num_tokens > 0) pool = sequences.run(alone_before, pool).pool;
    const array part = mx::slice(together, {start, 0}, {start + rows[r].num_tokens, together.shape(1)});
    EXPECT_TRUE(same_bits(part, sequences.run(alone, pool).out)) << "row " << r;
    start += rows[r].num_tokens;
  }
}

TEST(PagedAttention, InstructionSetsAgreeBitForBit) {
  constexpr int kTokens = 21, kGroup = 3, kDim = 80, kContext = 700, kStart = kContext - kTokens;
  const auto random = [](int n) {
    array a = mx::random::normal({n});
    a.eval();
    return a;
  };
  array query = random(kTokens * kGroup * kDim), keys = random(kContext * kDim), values = random(kContext * kDim);
  array rope = rope_table(mx::arange(0, kContext, mx::int32), from_host(default_inv_freq(1e4f, kDim)));
  rope.eval();
  const std::vector<int32_t> blocks = {3, 1, 0, 2, 4, 5, 6, 7, 8, 9, 10};
  std::vector<float> expected;
  for (const cpu::Isa isa : {cpu::Isa::kPortable, cpu::Isa::kNeon, cpu::Isa::kAvx2, cpu::Isa::kAvx512}) {
    if (!cpu::isa_available(isa)) continue;
    const auto& kernels = cpu::kernels<cpu::AttentionKernels>(isa);
    std::vector<uint16_t> pages(blocks.size() * 2 * 64 * kDim);
    const auto angles = [&](int token) { return rope.data<float>() + token * kDim; };
    for (int t = 0; t < kContext; ++t) {
      uint16_t* strip = pages.data() + size_t(blocks[t / 64] * 64 + t % 64 / 16 * 16) * 2 * kDim;
      kernels.write_token({keys.data<float>() + t * kDim, values.data<float>() + t * kDim, angles(t), kDim / 2, kDim},
                          strip, t % 16);
    }
    const cpu::QueryTile tile{.query = query.data<float>(),
                              .query_stride = kGroup * kDim,
                              .rope = angles(kStart),
                              .rotary_half = kDim / 2,
                              .num_tokens = kTokens,
                              .group = kGroup,
                              .head_dim = kDim,
                              .scale = 0.16f,
                              .first_position = kStart,
                              .window = 600,
                              .pages = pages.data(),
                              .page_stride = 2 * 64 * kDim,
                              .block_table = blocks.data(),
                              .block_size = 64};
    std::vector<float> scratch(cpu::scratch_floats(tile.rows(), kDim)), out(tile.rows() * kDim);
    std::vector<float> state(cpu::state_floats(tile.rows(), kDim)), later(state.size());
    kernels.load_queries(tile, scratch.data());
    kernels.attend_split(tile, 0, scratch.data(), state.data());
    kernels.attend_split(tile, 1, scratch.data(), later.data());
    kernels.merge(state.data(), later.data(), tile.rows(), kDim);
    kernels.finish(tile, state.data(), out.data(), kGroup * kDim);
    if (expected.empty()) expected = out;
    EXPECT_EQ(out, expected) << cpu::isa_name(isa);
  }
}

TEST(PagedAttention, QueriesMayTurnByTheirOwnTable) {
  const Sequences sequences(shape_of(4, 2, 32), 16, {90});
  Sequences::Inputs in = sequences.step({{90, 90}});
  const array plain = paged_attention(in.qkv, sequences.fresh_pool(), 1, in.meta, sequences.shape()).out;
  in.meta.query_rope = rope_table(mx::arange(0, 90, mx::int32), from_host(default_inv_freq(1e4, 32)), {2.0f, 0.5f, 30});
  const array expected = reference::paged_attention(in.qkv, sequences.fresh_pool(), 1, in.meta, sequences.shape()).out;
  mx::eval(expected);
  const array actual = paged_attention(in.qkv, sequences.fresh_pool(), 1, in.meta, sequences.shape()).out;
  EXPECT_LT(mx::max(mx::abs(actual - expected)).item<float>(), 0.05f);
  EXPECT_GT(mx::max(mx::abs(actual - plain)).item<float>(), 0.3f);
}

TEST(PagedAttention, RefusesShapesThatDoNotFit) {
  const Sequences sequences(shape_of(4, 2, 32), 16, {5});
  Sequences::Inputs in = sequences.step({{5, 5}});
  const array pool = sequences.fresh_pool();
  EXPECT_THROW(paged_attention(in.qkv, pool, 2, in.meta, sequences.shape()), std::invalid_argument);
  EXPECT_THROW(paged_attention(in.qkv, pool, 0, in.meta, shape_of(5, 2, 32)), std::invalid_argument);
  EXPECT_THROW(paged_attention(in.qkv, pool, 0, in.meta, shape_of(4, 2, 24)), std::invalid_argument);
  in.meta.block_size = 32;
  EXPECT_THROW(paged_attention(in.qkv, pool, 0, in.meta, sequences.shape()), std::invalid_argument);
  const KvGroup group{{KvKind::kFull, 2, 32, 0}, {0}};
  EXPECT_THROW(make_kv_pool(group, 4, 8), std::invalid_argument);
  EXPECT_THROW(make_kv_pool({{KvKind::kFull, 2, 40, 0}, {0}}, 4, 16), std::invalid_argument);
}

}  // namespace
}  // namespace ingot
