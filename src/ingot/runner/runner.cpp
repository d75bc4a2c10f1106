// A step in two submissions: the forward pass, then sampling.
#include "ingot/runner/runner.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

#include <mlx/memory.h>

#include "ingot/base/system_memory.h"
#include "ingot/ops/sampling/row_ops.h"
#include "ingot/tensor/mlx_version.h"

namespace ingot {
namespace {

std::vector<std::pair<int32_t, float>> best_of(TokenLogprobArrays& arrays, size_t row, int32_t count) {
  const size_t width = arrays.top_ids.shape(1);
  const int32_t* ids = to_host<int32_t>(arrays.top_ids).data() + row * width;
  const float* logprobs = to_host<float>(arrays.top_logprobs).data() + row * width;
  std::vector<std::pair<int32_t, float>> best;
  for (size_t i = 0; i < std::min(width, static_cast<size_t>(count)); ++i) best.emplace_back(ids[i], logprobs[i]);
  return best;
}

std::vector<SampledToken> read_tokens(const std::vector<SamplingRow>& rows, Sampled& sampled) {
  const std::span<const int32_t> ids = to_host<int32_t>(sampled.token);
  std::vector<SampledToken> tokens;
  tokens.reserve(rows.size());
  for (size_t r = 0; r < rows.size(); ++r) {
    SampledToken& token = tokens.emplace_back(SampledToken{rows[r].request, ids[r], {}});
    if (rows[r].num_logprobs < 0) continue;
    TokenLogprobArrays& arrays = *sampled.logprobs;
    token.logprobs = TokenLogprobs{to_host<float>(arrays.logprob)[r], to_host<int32_t>(arrays.rank)[r],
                                   best_of(arrays, r, rows[r].num_logprobs)};
  }
  return tokens;
}

}  // namespace

Runner::Runner(std::unique_ptr<CausalLm> model, RunnerConfig config)
    : model_(std::move(model)),
      config_(config),
      rows_(config.max_num_seqs, static_cast<int>(group_layers(model_->kv_spec()).size())),
      caches_(group_layers(model_->kv_spec()), config.num_blocks, config.block_size, config.max_num_seqs) {
  if (Status same = check_mlx_version(); !same) throw std::runtime_error(same.error().message);
}

bool Runner::queues_ahead() const { return mx::default_device() != mx::Device::cpu; }

void Runner::rest() {
  mx::clear_cache();
  release_free_memory();
}

void Runner::prepare(const StepPlan& plan) {
  PreparedStep& step = prepared_.emplace();
  step.step = plan.step;
  try {
    rows_.apply(plan);
    build(plan, step);
  } catch (const std::exception& e) {
    step.error = e.what();
  }
}

void Runner::build(const StepPlan& plan, PreparedStep& prepared) {
  GatheredStep gathered = gather(plan, rows_, caches_, config_.vocab_size);
  Step& step = gathered.step;
  const array hidden = model_->hidden(step);
  prepared.sampling = std::move(gathered.sampling);
  for (const StepKv& kv : step.kv) prepared.forward.push_back(kv.pool);
  array last_sampled = caches_.last_sampled();
  if (!prepared.sampling.empty()) {
    const array logits = model_->logits(hidden);
    prepared.forward.push_back(logits);
    int32_t num_logprobs = -1;
    for (const SamplingRow& row : prepared.sampling) num_logprobs = std::max(num_logprobs, row.num_logprobs);
    Sampled& sampled = prepared.sampled.emplace(sample(logits, gathered.params, num_logprobs));
    last_sampled = store_sampled(last_sampled, gathered.slots, sampled.token);
    prepared.done = {sampled.token, last_sampled};
    if (sampled.logprobs) {
      const TokenLogprobArrays& l = *sampled.logprobs;
      prepared.done.insert(prepared.done.end(), {l.logprob, l.rank, l.top_ids, l.top_logprobs});
    }
  }
  caches_.end(step.kv, std::move(last_sampled));
}

void Runner::launch() {
  PreparedStep step = std::move(*prepared_);
  prepared_.reset();
  if (step.error.empty()) {
    try {
      mx::async_eval(step.forward);
      if (!step.done.empty()) mx::async_eval(step.done);
    } catch (const std::exception& e) {
      step.error = e.what();
    }
  }
  launched_.push_back(std::move(step));
}

StepResult Runner::collect() {
  PreparedStep step = std::move(launched_.front());
  launched_.pop_front();
  StepResult result{.step = step.step, .tokens = {}, .error = std::move(step.error)};
  if (result.error.empty()) {
    try {
      for (array& a : step.forward) a.eval();
      if (step.sampled) result.tokens = read_tokens(step.sampling, *step.sampled);
    } catch (const std::exception& e) {
      result.error = e.what();
    }
  }
  if (!result.error.empty()) caches_.reset();
  return result;
}

}  // namespace ingot
