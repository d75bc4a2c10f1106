// Adjustments on CPU: a copy of the row, then work in proportion to the ids that are named.
#include "ingot/ops/sampling/adjust_logits.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <utility>

#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/thread_pool.h"

namespace ingot {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

void keep_only(std::span<const int32_t> allowed, const float* logits, int vocab, float* row) {
  std::fill(row, row + vocab, kNever);
  for (const int32_t id : allowed) row[id] = logits[id];
}

// ids → −∞, unless that would leave none.
void bar(std::span<const int32_t> ids, int vocab, float* row) {
  thread_local std::vector<float> before;
  before.clear();
  for (const int32_t id : ids) before.push_back(std::exchange(row[id], kNever));
  if (std::any_of(row, row + vocab, [](float logit) { return logit > kNever; })) return;
  for (size_t i = ids.size(); i-- > 0;) row[ids[i]] = before[i];  // backwards: an id may stand twice
}

// The last ids of the words that the output has all but the last id of.
std::vector<int32_t> next_of_words(std::span<const std::vector<int32_t>> words, std::span<const int32_t> output) {
  std::vector<int32_t> ids;
  for (const std::vector<int32_t>& word : words) {
    const size_t before = word.size() - 1;
    if (before > output.size()) continue;
    if (std::equal(word.begin(), word.end() - 1, output.end() - static_cast<ptrdiff_t>(before)))
      ids.push_back(word.back());
  }
  return ids;
}

void penalise(const LogitAdjustment& a, std::span<const int32_t> history, float* row) {
  std::unordered_map<int32_t, int32_t> counts;  // of ids in prompt or output: times in the output
  for (size_t i = 0; i < history.size(); ++i) counts[history[i]] += static_cast<int32_t>(i) >= a.num_prompt_tokens;
  for (const auto& [id, count] : counts) {
    float logit = row[id];
    logit = logit > 0 ? logit / a.repetition : logit * a.repetition;
    if (count > 0) logit = logit - a.frequency * static_cast<float>(count) - a.presence;
    row[id] = logit;
  }
}

void adjust_row(const LogitAdjustment& a, std::span<const int32_t> history, const float* logits, int vocab,
                float* row) {
  if (a.allowed.empty()) {
    std::memcpy(row, logits, sizeof(float) * vocab);
  } else {
    keep_only(a.allowed, logits, vocab, row);
  }
  const size_t num_prompt = std::min(history.size(), static_cast<size_t>(a.num_prompt_tokens));
  if (!a.bad_words.empty()) bar(next_of_words(a.bad_words, history.subspan(num_prompt)), vocab, row);
  if (!a.banned.empty()) bar(a.banned, vocab, row);
  for (const auto& [id, bias] : a.bias) row[id] += bias;
  if (a.repetition != 1.0f || a.frequency != 0.0f || a.presence != 0.0f) penalise(a, history, row);
}

}  // namespace

array adjust_logits(const array& logits, std::shared_ptr<const LogitAdjustments> adjustments, const array& history,
                    const array& slots, const array& num_tokens) {
  const int num_rows = static_cast<int>(adjustments->rows.size());
  require(logits, mx::float32, {num_rows, -1}, "adjust_logits logits");
  require(history, mx::int32, {-1, -1}, "adjust_logits history");
  require(slots, mx::int32, {num_rows}, "adjust_logits slots");
  require(num_tokens, mx::int32, {num_rows}, "adjust_logits num_tokens");
  const auto kernel = [adjustments](const std::vector<array>& in, std::vector<array>& out) {
    const int vocab = in[0].shape(1);
    const size_t length = in[1].shape(1);
    cpu::ThreadPool::instance().parallel_for(in[0].shape(0), [&](int r) {
      const int32_t* history = in[1].data<int32_t>() + in[2].data<int32_t>()[r] * length;
      const size_t at = static_cast<size_t>(r) * vocab;
      adjust_row(adjustments->rows[r], {history, static_cast<size_t>(in[3].data<int32_t>()[r])},
                 in[0].data<float>() + at, vocab, out[0].data<float>() + at);
    });
  };
  return cpu::cpu_op("adjust_logits", {logits, history, slots, num_tokens}, {{logits.shape(), mx::float32}}, kernel)[0];
}

array record_tokens(const array& history, const array& slots, const array& positions, const array& ids) {
  require(history, mx::int32, {-1, -1}, "record_tokens history");
  require(slots, mx::int32, {-1}, "record_tokens slots");
  require(positions, mx::int32, {slots.shape(0)}, "record_tokens positions");
  require(ids, mx::int32, {slots.shape(0)}, "record_tokens ids");
  return cpu::cpu_op("record_tokens", {history, slots, positions, ids}, {{history.shape(), mx::int32, 0}},
                     [](const std::vector<array>& in, std::vector<array>& out) {
                       const size_t length = out[0].shape(1);
                       for (int t = 0; t < in[1].shape(0); ++t) {
                         const size_t row = in[1].data<int32_t>()[t], position = in[2].data<int32_t>()[t];
                         out[0].data<int32_t>()[row * length + position] = in[3].data<int32_t>()[t];
                       }
                     })[0];
}

}  // namespace ingot
