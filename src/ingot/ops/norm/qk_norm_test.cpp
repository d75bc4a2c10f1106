// The norm of heads against its fallback, in place, and bits that do not depend on the batch.
#include "ingot/ops/norm/qk_norm.h"

#include <gtest/gtest.h>
#include <mlx/random.h>

#include "ingot/ops/norm/rms_norm.h"

namespace ingot {
namespace {

QkNormParams random_norm(int num_heads, int num_kv_heads, int head_dim) {
  return {.query_weight = mx::random::uniform({head_dim}) + array(0.5f),
          .key_weight = mx::random::uniform({head_dim}) - array(0.5f),
          .num_heads = num_heads,
          .num_kv_heads = num_kv_heads,
          .eps = 1e-6f};
}

array fresh(const array& x) {
  array copy = mx::contiguous(x + array(0.0f));
  copy.eval();
  return copy;
}

TEST(QkNorm, EqualsFallback) {
  mx::random::seed(11);
  for (const auto& [heads, kv_heads, dim] : {std::tuple{16, 8, 128}, {3, 1, 48}, {1, 1, 16}, {9, 3, 80}}) {
    const QkNormParams norm = random_norm(heads, kv_heads, dim);
    for (const int tokens : {1, 5, 70}) {
      const array qkv = mx::random::normal({tokens, (heads + 2 * kv_heads) * dim}) * array(5.0f);
      const array slow = reference::qk_norm(qkv, norm), fast = qk_norm(fresh(qkv), norm);
      EXPECT_LT(mx::max(mx::abs(fast - slow)).item<float>(), 1e-5f) << heads << " × " << dim;
      const int values = (heads + kv_heads) * dim;
      const auto of = [&](const array& a) { return mx::slice(a, {0, values}, a.shape()); };
      EXPECT_TRUE(mx::array_equal(of(fast), of(qkv)).item<bool>()) << "values are left alone";
    }
  }
}

TEST(QkNorm, NormalisesInPlaceEachHeadAsARow) {
  mx::random::seed(12);
  const QkNormParams norm = random_norm(4, 2, 80);
  array qkv = fresh(mx::random::normal({7, 8 * 80}));
  const array heads = mx::contiguous(mx::reshape(fresh(qkv), {7 * 8, 80}));
  array as_rows = mx::reshape(rms_norm(heads, norm.query_weight, norm.eps), {7, 8 * 80});
  as_rows.eval();
  const void* buffer = qkv.data<float>();
  array normed = qk_norm(qkv, norm);
  normed.eval();
  EXPECT_EQ(normed.data<float>(), buffer);
  const auto queries = [](const array& a) { return mx::slice(a, {0, 0}, {7, 4 * 80}); };
  EXPECT_TRUE(mx::array_equal(queries(normed), queries(as_rows)).item<bool>());
}

TEST(QkNorm, DoesNotDependOnTheBatch) {
  mx::random::seed(13);
  const QkNormParams norm = random_norm(8, 2, 64);
  const array qkv = fresh(mx::random::normal({200, 12 * 64}));
  const array all = qk_norm(fresh(qkv), norm);
  for (const int t : {0, 57, 199}) {
    const array alone = qk_norm(fresh(mx::slice(qkv, {t, 0}, {t + 1, 12 * 64})), norm);
    EXPECT_TRUE(mx::array_equal(alone, mx::slice(all, {t, 0}, {t + 1, 12 * 64})).item<bool>());
  }
}

TEST(QkNorm, RefusesShapesThatDoNotFit) {
  const QkNormParams norm = random_norm(4, 2, 32);
  EXPECT_THROW(qk_norm(mx::zeros({3, 7 * 32}), norm), std::invalid_argument);
  EXPECT_THROW(qk_norm(mx::zeros({3, 8 * 32}, mx::bfloat16), norm), std::invalid_argument);
}

}  // namespace
}  // namespace ingot
