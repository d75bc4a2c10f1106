// Adjustments by MLX operations: dense masks and counts, a row at a time.
#include <limits>

#include "ingot/ops/sampling/adjust_logits.h"

namespace ingot::reference {
namespace {

array indices(std::span<const int32_t> ids) { return from_host(ids); }

// 1 for each time that an id of `ids` occurs, float32[V].
array counts(const array& ids, int vocab) {
  const array onehot =
      mx::astype(mx::equal(mx::expand_dims(ids, 1), mx::expand_dims(mx::arange(vocab, mx::int32), 0)), mx::float32);
  return mx::sum(onehot, 0);
}

array never_where(const array& row, const array& condition) {
  return mx::where(condition, array(-std::numeric_limits<float>::infinity()), row);
}

// −∞ where the condition holds, unless that would leave none.
array bar(const array& row, const array& condition) {
  const array barred = never_where(row, condition);
  return mx::where(mx::all(mx::isinf(barred)), row, barred);
}

array adjust_row(const LogitAdjustment& a, const array& history, array row) {
  const int vocab = row.shape(0), length = history.shape(0);
  const int num_prompt = std::min(length, a.num_prompt_tokens);
  const array output = mx::slice(history, {num_prompt}, {length});
  if (!a.allowed.empty()) row = never_where(row, mx::equal(counts(indices(a.allowed), vocab), array(0.0f)));
  array ends_word = mx::zeros({vocab}, mx::bool_);
  for (const std::vector<int32_t>& word : a.bad_words) {
    const int before = static_cast<int>(word.size()) - 1;
    if (before > output.shape(0)) continue;
    const array tail = mx::slice(output, {output.shape(0) - before}, {output.shape(0)});
    const array matches = before == 0 ? array(true) : mx::array_equal(tail, indices(std::span(word).first(before)));
    const array is_last = mx::equal(mx::arange(vocab, mx::int32), array(word.back()));
    ends_word = mx::logical_or(ends_word, mx::logical_and(matches, is_last));
  }
  row = bar(row, ends_word);
  if (!a.banned.empty()) row = bar(row, mx::greater(counts(indices(a.banned), vocab), array(0.0f)));
  for (const auto& [id, bias] : a.bias) {
    row = row + mx::where(mx::equal(mx::arange(vocab, mx::int32), array(id)), array(bias), array(0.0f));
  }
  const array seen = counts(history, vocab), times = counts(output, vocab);
  const array penalised =
      mx::where(mx::greater(row, array(0.0f)), row / array(a.repetition), row * array(a.repetition));
  row = mx::where(mx::greater(seen, array(0.0f)), penalised, row);
  row = row - array(a.frequency) * times;
  return mx::where(mx::greater(times, array(0.0f)), row - array(a.presence), row);
}

}  // namespace

array adjust_logits(const array& logits, std::shared_ptr<const LogitAdjustments> adjustments, const array& history,
                    const array& slots, const array& num_tokens) {
  array host_slots = slots, host_lengths = num_tokens;
  std::vector<array> rows;
  for (int r = 0; r < logits.shape(0); ++r) {
    const int slot = to_host<int32_t>(host_slots)[r], length = to_host<int32_t>(host_lengths)[r];
    const array tokens = mx::reshape(mx::slice(history, {slot, 0}, {slot + 1, length}), {length});
    const array row = mx::reshape(mx::slice(logits, {r, 0}, {r + 1, logits.shape(1)}), {logits.shape(1)});
    rows.push_back(adjust_row(adjustments->rows[r], tokens, row));
  }
  return mx::stack(rows);
}

}  // namespace ingot::reference
