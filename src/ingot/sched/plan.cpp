// Scheduler: from queues and pool to the next StepPlan.
#include <algorithm>
#include <utility>

#include "ingot/sched/scheduler.h"

namespace ingot {
namespace {

constexpr size_t kMaxStepsInFlight = 2;

// The prompt tokens after positions start … end − 1, where their logprobs are wanted.
std::vector<int32_t> prompt_targets(const Sequence& sequence, int32_t start, int32_t end) {
  const int32_t last = std::min(end + 1, sequence.num_prompt_tokens);
  if (!sequence.sampling.num_prompt_logprobs || start + 1 >= last) return {};
  return {sequence.tokens.begin() + start + 1, sequence.tokens.begin() + last};
}

}  // namespace

std::optional<StepPlan> Scheduler::schedule() {
  if (in_flight_.size() == kMaxStepsInFlight) return std::nullopt;
  bool preempted = false;
  while (num_blocks_wanted() > kv_.num_free()) {
    if (!in_flight_.empty()) return std::nullopt;  // reading it may free blocks, and its rows cannot be taken back
    preempt(*running_.back());
    preempted = true;
  }
  StepPlan plan{.step = num_planned_ + 1, .starts = {}, .rows = {}, .copies = {}};
  in_flight_.push_back({plan.step, {}});
  int32_t budget = config_.max_num_batched_tokens;
  for (Sequence* sequence : running_) {
    const int32_t num_tokens = num_wanted(*sequence, budget);
    if (num_tokens == 0) continue;
    plan_row(*sequence, num_tokens, BlockTables(kv_.num_groups()), plan);
    budget -= num_tokens;
  }
  if (!preempted) admit(plan, budget);
  if (plan.rows.empty()) {
    in_flight_.pop_back();
    return std::nullopt;
  }
  ++num_planned_;
  stats_.step_tokens.add(plan.num_tokens());
  return plan;
}

int32_t Scheduler::chunk(int32_t num_tokens, int32_t budget) const {
  const int32_t threshold = config_.long_prefill_token_threshold;
  return std::min({num_tokens, budget, threshold > 0 ? threshold : num_tokens});
}

// Nothing once the last token that it may have is planned: that much is known before the token is.
int32_t Scheduler::num_wanted(const Sequence& sequence, int32_t budget) const {
  if (sequence.num_tokens() >= sequence.max_num_tokens) return 0;
  return chunk(sequence.num_tokens() - sequence.num_computed_tokens, budget);
}

// New blocks for all running sequences, were they planned now.
int32_t Scheduler::num_blocks_wanted() const {
  int32_t budget = config_.max_num_batched_tokens, num_blocks = 0;
  for (const Sequence* sequence : running_) {
    const int32_t num_tokens = num_wanted(*sequence, budget);
    budget -= num_tokens;
    num_blocks += kv_.blocks_for(sequence->num_computed_tokens + num_tokens) -
                  static_cast<int32_t>(sequence->pages.tables[0].size());
  }
  return num_blocks;
}

// By recompute: the output stays, and the prompt with it is prefilled again, mostly from the prefix cache.
void Scheduler::preempt(Sequence& sequence) {
  running_.pop_back();
  kv_.release(sequence.pages);
  free_slots_.push_back(*std::exchange(sequence.slot, std::nullopt));
  sequence.num_computed_tokens = 0;
  waiting_.push(sequence);
  ++stats_.num_preemptions;
}

void Scheduler::admit(StepPlan& plan, int32_t budget) {
  while (budget > 0 && !waiting_.empty() && !free_slots_.empty()) {
    Sequence& sequence = waiting_.front();
    // The last token is always computed, for its logits: a whole-prompt hit ends one block earlier.
    // Prompt logprobs need every position's logits: such a request reads nothing from the cache.
    const int32_t num_to_find = sequence.sampling.num_prompt_logprobs ? 0 : sequence.num_tokens() - 1;
    PrefixHit hit = kv_.find(sequence.pages.hashes, num_to_find);
    const int32_t num_cached = hit.num_blocks * kv_.block_size();
    const int32_t num_left = sequence.num_tokens() - num_cached;
    if (!config_.enable_chunked_prefill && num_left > budget) return;
    const int32_t num_tokens = chunk(num_left, budget);
    const int32_t num_to_fit = config_.reserve_full_prompt ? sequence.num_tokens() : num_cached + num_tokens;
    if (!kv_.fits(hit, num_to_fit, running_.empty() ? 0 : num_watermark_blocks_)) return;  // and so do all behind it
    start(sequence, std::move(hit), plan);
    plan_row(sequence, num_tokens, sequence.pages.tables, plan);
    budget -= num_tokens;
  }
}

void Scheduler::start(Sequence& sequence, PrefixHit hit, StepPlan& plan) {
  waiting_.erase(sequence);
  running_.insert(std::ranges::upper_bound(running_, sequence.key, {}, &Sequence::key), &sequence);
  sequence.slot = free_slots_.back();
  free_slots_.pop_back();
  sequence.num_computed_tokens = hit.num_blocks * kv_.block_size();
  kv_.adopt(sequence.pages, std::move(hit));
  SlotStart& slot_start = plan.starts.emplace_back(
      SlotStart{*sequence.slot, sequence.id, sequence.sampling, sequence.num_prompt_tokens, {}});
  if (sequence.sampling.needs_history()) {
    slot_start.cached_ids.assign(sequence.tokens.begin(), sequence.tokens.begin() + sequence.num_computed_tokens);
  }
  if (std::exchange(sequence.admitted, true)) return;
  sequence.num_cached_tokens = sequence.num_computed_tokens;
  sequence.times.first_scheduled = now();
  stats_.prompt_tokens += sequence.num_prompt_tokens;
  stats_.prompt_tokens_cached += sequence.num_cached_tokens;
  if (!kv_.caching()) return;
  stats_.prefix_cache_queries += sequence.num_prompt_tokens;
  stats_.prefix_cache_hits += sequence.num_cached_tokens;
}

void Scheduler::plan_row(Sequence& sequence, int32_t num_tokens, BlockTables new_blocks, StepPlan& plan) {
  const int32_t start = sequence.num_computed_tokens, end = start + num_tokens;
  const auto num_known = std::min(end, static_cast<int32_t>(sequence.tokens.size()));
  const bool samples = end == sequence.num_tokens();
  kv_.grow(sequence.pages, end, new_blocks);
  plan.rows.push_back({.slot = *sequence.slot,
                       .request = sequence.id,
                       .start = start,
                       .num_tokens = num_tokens,
                       .token_ids = {sequence.tokens.begin() + start, sequence.tokens.begin() + num_known},
                       .new_blocks = std::move(new_blocks),
                       .prompt_targets = prompt_targets(sequence, start, end),
                       .samples = samples,
                       .output_index = samples ? end - sequence.num_prompt_tokens : 0});
  sequence.num_computed_tokens = end;
  sequence.num_placeholders += samples;
  ++sequence.num_in_flight;
  in_flight_.back().rows.push_back({&sequence, end, samples});
}

}  // namespace ingot
