// The choice of tokens by MLX operations: full sorts, whole rows.
#include <limits>

#include "ingot/ops/sampling/cut_logits.h"

namespace ingot::reference {
namespace {

array u64(uint64_t value) { return array(value, mx::uint64); }
array u32(uint32_t value) { return array(value, mx::uint32); }

array xor_shift(const array& x, int bits) { return mx::bitwise_xor(x, mx::right_shift(x, array(bits, x.dtype()))); }

array splitmix64(array x) {
  x = xor_shift(x, 30) * u64(0xBF58476D1CE4E5B9);
  x = xor_shift(x, 27) * u64(0x94D049BB133111EB);
  return xor_shift(x, 31);
}

array mix(const array& x) { return xor_shift(xor_shift(xor_shift(x, 16) * u32(0x7FEB352D), 15) * u32(0x846CA68B), 16); }

// float32[R, V]: Exp(1) draws.
array noise(const SampleParams& params, int vocab) {
  const array index = mx::astype(params.output_index, mx::uint64) + u64(1);
  const array words = mx::astype(params.seed, mx::uint64);
  const std::vector<array> low_high = mx::split(words, 2, 1);
  const array seed = mx::squeeze(mx::bitwise_or(low_high[0], mx::left_shift(low_high[1], u64(32))), 1);
  const array key = mx::expand_dims(splitmix64(seed + u64(0x9E3779B97F4A7C15) * index), 1);
  const array k0 = mx::astype(mx::bitwise_and(key, u64(0xFFFFFFFF)), mx::uint32);
  const array k1 = mx::astype(mx::right_shift(key, u64(32)), mx::uint32);
  const array id = mx::expand_dims(mx::arange(0, vocab, mx::uint32), 0);
  const array hash = mix(mx::bitwise_xor(mix(id * u32(0x9E3779B9) + k0), k1));
  const array u = (mx::astype(mx::right_shift(hash, u32(9)), mx::float32) + array(0.5f)) * array(0x1p-23f);
  return -mx::log(u);
}

array column(const array& a) { return mx::expand_dims(a, 1); }

array is_greedy(const SampleParams& params) { return params.temperature <= array(0.0f); }

struct Cut {
  array y, e, keep;  // of each logit: over temperature, its weight, whether it stays
};

Cut cut(const array& logits, const SampleParams& params) {
  const int vocab = logits.shape(1);
  const array y = logits / column(mx::where(is_greedy(params), array(1.0f), params.temperature));
  const array e = mx::exp(y - mx::max(y, -1, true));
  array keep = e >= column(params.min_p);

  const array k = mx::where(params.top_k > array(0), mx::minimum(params.top_k, array(vocab)), array(vocab));
  const array kth = mx::take_along_axis(mx::sort(y, -1), column(array(vocab) - k), 1);
  keep = mx::logical_and(keep, y >= kth);

  const array order = mx::argsort(-y, -1);  // stable: equals keep their ids' order
  const array best_first = mx::take_along_axis(mx::where(keep, e, array(0.0f)), order, 1);
  const array before = mx::cumsum(best_first, 1, false, false);
  const array in_nucleus = mx::logical_or(before < column(params.top_p) * mx::sum(best_first, -1, true),
                                          column(params.top_p >= array(1.0f)));
  keep = mx::logical_and(keep, mx::take_along_axis(in_nucleus, mx::argsort(order, -1), 1));
  return {y, e, keep};
}

}  // namespace

array draw_tokens(const array& logits, const SampleParams& params) {
  const auto [y, e, keep] = cut(logits, params);
  const array score = mx::where(keep, e / noise(params, logits.shape(1)), array(-1.0f));
  return mx::astype(mx::where(is_greedy(params), mx::argmax(logits, -1), mx::argmax(score, -1)), mx::int32);
}

array cut_logits(const array& logits, const SampleParams& params) {
  const auto [y, e, keep] = cut(logits, params);
  const array cut = mx::where(keep, y, array(-std::numeric_limits<float>::infinity()));
  return mx::where(column(is_greedy(params)), logits, cut);
}

}  // namespace ingot::reference
