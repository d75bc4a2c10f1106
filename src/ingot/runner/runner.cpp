// A step in two submissions: the forward pass, then sampling.
#include "ingot/runner/runner.h"

#include <exception>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <mlx/memory.h>

#include "ingot/base/system_memory.h"
#include "ingot/ops/sampling/row_ops.h"
#include "ingot/runner/gather.h"
#include "ingot/tensor/mlx_version.h"

namespace ingot {
namespace {

// Rows first … first + count − 1.
array some_rows(const array& x, size_t first, size_t count) {
  if (count == static_cast<size_t>(x.shape(0))) return x;
  std::vector<int32_t> rows(count);
  std::iota(rows.begin(), rows.end(), static_cast<int32_t>(first));
  return gather_rows(x, from_host(std::span<const int32_t>(rows)));
}

}  // namespace

Runner::Runner(std::unique_ptr<CausalLm> model, RunnerConfig config)
    : model_(std::move(model)),
      config_(config),
      rows_(config.max_num_seqs, static_cast<int>(group_layers(model_->kv_spec()).size())),
      caches_(group_layers(model_->kv_spec()), config.num_blocks, config.block_size, config.max_num_seqs,
              config.max_model_len) {
  if (Status same = check_mlx_version(); !same) throw std::runtime_error(same.error().message);
}

void Runner::rest() {
  mx::clear_cache();
  release_free_memory();
}

bool Runner::queues_ahead() const { return mx::default_device() != mx::Device::cpu; }

void Runner::prepare(const StepPlan& plan) {
  rows_.apply(plan);
  prepared_.emplace(PreparedStep{.step = plan.step,
                                 .sampling = SamplingBatch(plan, rows_, config_.logits),
                                 .prompt = PromptBatch(plan, rows_, config_.logits),
                                 .forward = {},
                                 .outputs = {},
                                 .error = {}});
  try {
    build(plan, *prepared_);
  } catch (const std::exception& e) {
    prepared_->error = e.what();
  }
}

void Runner::build(const StepPlan& plan, PreparedStep& prepared) {
  SamplingBatch& sampling = prepared.sampling;
  PromptBatch& prompt = prepared.prompt;
  Step step = gather_step(plan, rows_, caches_);
  const array history = gather_history(plan, rows_, caches_, step.ids);
  std::vector<int32_t> out_rows = sampling.out_rows();
  out_rows.insert(out_rows.end(), prompt.out_rows().begin(), prompt.out_rows().end());
  step.out_rows = from_host(std::span<const int32_t>(out_rows));
  const array hidden = model_->hidden(step);
  for (const StepKv& kv : step.kv) prepared.forward.push_back(kv.pool);
  prepared.forward.push_back(history);
  array last_sampled = caches_.last_sampled();
  const size_t num_sampling = sampling.out_rows().size();
  if (!sampling.empty()) {
    const array logits = model_->logits(some_rows(hidden, 0, num_sampling));
    prepared.forward.push_back(logits);
    last_sampled = store_sampled(last_sampled, sampling.slots(), sampling.draw(logits, history, prepared.outputs));
    prepared.outputs.push_back(last_sampled);
  }
  if (!prompt.empty()) {
    prompt.score(model_->logits(some_rows(hidden, num_sampling, prompt.out_rows().size())), prepared.outputs);
  }
  caches_.end(step.kv, std::move(last_sampled), history);
}

void Runner::launch() {
  PreparedStep step = std::move(*prepared_);
  prepared_.reset();
  if (step.error.empty()) {
    try {
      mx::async_eval(step.forward);
      if (!step.outputs.empty()) mx::async_eval(step.outputs);
    } catch (const std::exception& e) {
      step.error = e.what();
    }
  }
  launched_.push_back(std::move(step));
}

StepResult Runner::collect() {
  PreparedStep step = std::move(launched_.front());
  launched_.pop_front();
  StepResult result{.step = step.step, .tokens = {}, .prompt_logprobs = {}, .error = std::move(step.error)};
  if (result.error.empty()) {
    try {
      for (array& a : step.forward) a.eval();
      result.tokens = step.sampling.read();
      result.prompt_logprobs = step.prompt.read();
    } catch (const std::exception& e) {
      result.error = e.what();
    }
  }
  if (!result.error.empty()) caches_.reset();
  return result;
}

}  // namespace ingot
