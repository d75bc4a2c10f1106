// Runs steps of a model: plans in, sampled tokens out.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ingot/models/causal_lm.h"
#include "ingot/runner/caches.h"
#include "ingot/runner/rows.h"
#include "ingot/runner/sampling_batch.h"
#include "ingot/runner/step_runner.h"

namespace ingot {

struct RunnerConfig {
  int max_num_seqs = 1;
  int num_blocks = 2;  // a group, null block included
  int block_size = 16;
  LogitsInfo logits;
  int max_model_len = 1;
};

class Runner final : public StepRunner {
 public:
  Runner(std::unique_ptr<CausalLm> model, RunnerConfig config);

  void prepare(const StepPlan& plan) override;
  void launch() override;
  StepResult collect() override;
  void rest() override;
  bool queues_ahead() const override;

 private:
  struct PreparedStep {
    uint64_t step = 0;
    SamplingBatch sampling;
    PromptBatch prompt;
    std::vector<array> forward;  // what the first submission evaluates: logits, or only the pools
    std::vector<array> outputs;  // what the second one does
    std::string error;           // of building, launching or waiting
  };

  void build(const StepPlan& plan, PreparedStep& step);

  std::unique_ptr<CausalLm> model_;
  RunnerConfig config_;
  Rows rows_;
  Caches caches_;
  std::optional<PreparedStep> prepared_;
  std::deque<PreparedStep> launched_;
};

}  // namespace ingot
