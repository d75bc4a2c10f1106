// What a draw chooses by: the weights of one row, after its cuts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/sampling/nucleus.h"
#include "ingot/ops/sampling/row_index.h"

namespace ingot {

struct Cuts {
  float temperature = 1.0f;  // > 0
  int top_k = 0;
  float top_p = 1.0f, min_p = 0.0f;
};

// e = exp(logit / temperature − its best), 0 where a cut drops it (draw_tokens.h says which). Reused from row to row,
// so that its memory is.
class RowWeights {
 public:
  // `index` is of the row of logits.
  void reset(const RowIndex& index, std::span<const float> logits, const Cuts& cuts);

  // Of all tokens, or of those that top_k keeps: then ids() names them, ascending, padded to whole vectors of 16.
  std::span<const float> weights() const { return e_; }
  const int32_t* ids() const { return listed_ ? ids_.data() : nullptr; }
  int32_t id(size_t i) const { return listed_ ? ids_[i] : static_cast<int32_t>(i); }

  // Whether a cut dropped weights()[i]. A weight may be 0 without that: too small for a float.
  bool drops(size_t i) const { return e_[i] == 0.0f && zero_is_dropped_; }

 private:
  void list_top_k(const RowIndex& index, const Cuts& cuts);
  double weigh(const RowIndex& index, std::span<const float> logits, const Cuts& cuts);
  void cut_nucleus(double top_p, double total);

  const cpu::SamplingKernels& kernels_ = cpu::kernels<cpu::SamplingKernels>();
  Nucleus nucleus_;
  bool listed_ = false, zero_is_dropped_ = false;
  std::vector<float> e_, maxima_, sums_;
  std::vector<int32_t> ids_;
  std::vector<Candidate> best_;
};

}  // namespace ingot
