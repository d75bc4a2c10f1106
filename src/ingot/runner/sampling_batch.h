// The second submission of a step: from hidden states to tokens and logprobs.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ingot/core/step_plan.h"
#include "ingot/core/step_result.h"
#include "ingot/ops/sampling/adjust_logits.h"
#include "ingot/runner/rows.h"
#include "ingot/sample/sample.h"

namespace ingot {

struct LogitsInfo {
  int vocab_size = 1;
  LogprobsMode mode = LogprobsMode::kRawLogprobs;  // what of them replies show
};

// The rows of a plan that sample a token.
class SamplingBatch {
 public:
  SamplingBatch(const StepPlan& plan, const Rows& rows, const LogitsInfo& logits);

  bool empty() const { return rows_.empty(); }
  const std::vector<int32_t>& out_rows() const { return out_rows_; }  // their last tokens in the ragged batch
  array slots() const { return from_host(std::span<const int32_t>(slots_)); }

  // Adds drawing and logprobs of float32[rows, V] to the graph; `outputs` gets what must be evaluated. Returns the
  // tokens.
  array draw(const array& logits, const array& history, std::vector<array>& outputs);

  // Once they are evaluated.
  std::vector<SampledToken> read();

 private:
  struct Row {
    RequestId request{};
    int32_t num_logprobs = -1;  // −1 = none
    std::shared_ptr<const SamplingParams> sampling;
  };

  void add(const PlannedRow& planned, const ingot::Row& slot, int32_t last_token, int vocab_size);
  void adjust(const PlannedRow& planned, const ingot::Row& slot);
  SampleParams params() const;
  TokenLogprobs logprobs_of(size_t row);

  std::vector<Row> rows_;
  std::vector<int32_t> out_rows_, slots_, num_tokens_;
  std::vector<float> temperature_, top_p_, min_p_;
  std::vector<int32_t> top_k_, output_index_;
  std::vector<uint32_t> seed_;
  std::shared_ptr<LogitAdjustments> adjustments_;  // null where no row is adjusted
  std::vector<std::shared_ptr<const SamplingParams>> adjusting_;
  LogprobWishes wishes_;
  std::optional<Sampled> sampled_;
};

// The prompt positions of a plan whose logprobs are wanted.
class PromptBatch {
 public:
  PromptBatch(const StepPlan& plan, const Rows& rows, const LogitsInfo& logits);

  bool empty() const { return targets_.empty(); }
  const std::vector<int32_t>& out_rows() const { return out_rows_; }

  void score(const array& logits, std::vector<array>& outputs);
  std::vector<PromptLogprobs> read();

 private:
  struct Row {
    RequestId request{};
    int32_t first = 0;  // position of the first target
    size_t count = 0;
    int32_t num_logprobs = 0;
  };

  std::vector<Row> rows_;
  std::vector<int32_t> out_rows_, targets_;
  int32_t num_logprobs_ = 0;
  LogprobsMode mode_;
  std::optional<TokenLogprobArrays> logprobs_;
};

}  // namespace ingot
