// The logits that a draw chooses among, on CPU.
#include "ingot/ops/sampling/cut_logits.h"

#include <algorithm>
#include <limits>

#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/thread_pool.h"
#include "ingot/ops/sampling/row_weights.h"

namespace ingot {
namespace {

void cut_row(std::span<const float> logits, const Cuts& cuts, float* out) {
  if (cuts.temperature <= 0.0f) {
    std::ranges::copy(logits, out);
    return;
  }
  thread_local RowIndex index;
  thread_local RowWeights weights;
  index.reset(logits.data(), static_cast<int>(logits.size()));
  weights.reset(index, logits, cuts);
  std::fill_n(out, logits.size(), -std::numeric_limits<float>::infinity());
  for (size_t i = 0; i < weights.weights().size(); ++i) {
    if (!weights.drops(i)) out[weights.id(i)] = logits[weights.id(i)] / cuts.temperature;
  }
}

}  // namespace

array cut_logits(const array& logits, const SampleParams& params) {
  require(logits, params);
  const auto kernel = [](const std::vector<array>& in, std::vector<array>& out) {
    const size_t vocab = in[0].shape(1);
    cpu::ThreadPool::instance().parallel_for(in[0].shape(0), [&](int r) {
      const Cuts cuts{.temperature = in[1].data<float>()[r],
                      .top_k = in[2].data<int32_t>()[r],
                      .top_p = in[3].data<float>()[r],
                      .min_p = in[4].data<float>()[r]};
      cut_row({in[0].data<float>() + r * vocab, vocab}, cuts, out[0].data<float>() + r * vocab);
    });
  };
  return cpu::cpu_op("cut_logits", {logits, params.temperature, params.top_k, params.top_p, params.min_p},
                     {{logits.shape(), mx::float32}}, kernel)[0];
}

}  // namespace ingot
