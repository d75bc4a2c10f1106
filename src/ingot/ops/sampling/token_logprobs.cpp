// Log probabilities on CPU: streaming passes, and a sort of the few best.
#include "ingot/ops/sampling/token_logprobs.h"

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/cpu/thread_pool.h"
#include "ingot/ops/sampling/row_index.h"
#include "ingot/ops/sampling/sampling_kernels.h"

namespace ingot {
namespace {

class Row {
 public:
  void reset(const float* logits, int vocab, Score score) {
    logits_ = logits, vocab_ = vocab;
    index_.reset(logits, vocab);
    log_total_ = score == Score::kLogit ? 0.0 : log_total();
  }

  float logprob(int token) const { return value(logits_[token]); }
  int rank(int token) const { return kernels_.count_at_least(logits_, vocab_, logits_[token]); }

  void top(int k, int32_t* ids, float* logprobs) {
    const float kth = index_.kth_best(k);
    best_.clear();
    index_.gather([kth](float x) { return x >= kth; }, best_);
    std::partial_sort(best_.begin(), best_.begin() + k, best_.end(), better);
    for (int i = 0; i < k; ++i) ids[i] = best_[i].id, logprobs[i] = value(best_[i].value);
  }

 private:
  float value(float logit) const { return float(logit - log_total_); }

  double log_total() {
    e_.resize(vocab_);
    maxima_.resize(cpu::num_chunks(vocab_));
    sums_.resize(cpu::num_chunks(vocab_));
    kernels_.exp_row(logits_, vocab_, {.top = index_.best()}, e_.data(), {maxima_.data(), sums_.data()});
    return index_.best() + std::log(std::accumulate(sums_.begin(), sums_.end(), 0.0));
  }

  const cpu::SamplingKernels& kernels_ = cpu::kernels<cpu::SamplingKernels>();
  const float* logits_ = nullptr;
  int vocab_ = 0;
  RowIndex index_;
  std::vector<float> e_, maxima_, sums_;
  std::vector<Candidate> best_;
  double log_total_ = 0.0;
};

}  // namespace

TokenLogprobArrays token_logprobs(const array& logits, const array& tokens, int k, Score score) {
  require(logits, mx::float32, {-1, -1}, "token_logprobs logits");
  const int rows = logits.shape(0), vocab = logits.shape(1);
  require(tokens, mx::int32, {rows}, "token_logprobs tokens");
  if (k < 0 || k > vocab) throw std::invalid_argument("token_logprobs: k is outside 0 … vocabulary");
  const auto outputs =
      cpu::cpu_op("token_logprobs", {logits, tokens},
                  {{{rows}, mx::float32}, {{rows}, mx::int32}, {{rows, k}, mx::int32}, {{rows, k}, mx::float32}},
                  [=](const std::vector<array>& in, std::vector<array>& out) {
                    cpu::ThreadPool::instance().parallel_for(rows, [&](int r) {
                      thread_local Row row;
                      const float* x = in[0].data<float>() + size_t(r) * vocab;
                      const int token = in[1].data<int32_t>()[r];
                      row.reset(x, vocab, score);
                      out[0].data<float>()[r] = row.logprob(token);
                      out[1].data<int32_t>()[r] = row.rank(token);
                      if (k > 0)
                        row.top(k, out[2].data<int32_t>() + size_t(r) * k, out[3].data<float>() + size_t(r) * k);
                    });
                  });
  return {.logprob = outputs[0], .rank = outputs[1], .top_ids = outputs[2], .top_logprobs = outputs[3]};
}

array logprobs_at(const array& logits, const array& rows, const array& ids, Score score) {
  require(logits, mx::float32, {-1, -1}, "logprobs_at logits");
  require(rows, mx::int32, {-1}, "logprobs_at rows");
  require(ids, mx::int32, {rows.shape(0)}, "logprobs_at ids");
  return cpu::cpu_op("logprobs_at", {logits, rows, ids}, {{ids.shape(), mx::float32}},
                     [score](const std::vector<array>& in, std::vector<array>& out) {
                       thread_local Row row;
                       const int vocab = in[0].shape(1);
                       const int32_t* rows = in[1].data<int32_t>();
                       for (int i = 0; i < in[1].shape(0); ++i) {
                         if (i == 0 || rows[i] != rows[i - 1])
                           row.reset(in[0].data<float>() + size_t(rows[i]) * vocab, vocab, score);
                         out[0].data<float>()[i] = row.logprob(in[2].data<int32_t>()[i]);
                       }
                     })[0];
}

}  // namespace ingot
