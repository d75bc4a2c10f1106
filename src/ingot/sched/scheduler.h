// Decides what each step computes: the queue, admission, the token budget, preemption; reads results into events.
//
//   add ─► waiting ─► running ──schedule()──► StepPlan ─► (runner) ─► StepResult ──digest()──► TokenEvents
//
// There are no phases of prefill and decode: each step gives tokens to sequences so that what is computed catches up
// with what is known. At most two steps are in flight: the plan of step N + 1 is made before step N's tokens are read.
// A block is freed, or becomes a prefix hit, only when the steps in flight that touch it have been digested.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ingot/base/result.h"
#include "ingot/core/engine_config.h"
#include "ingot/core/engine_stats.h"
#include "ingot/core/queue_load.h"
#include "ingot/core/request.h"
#include "ingot/core/step_plan.h"
#include "ingot/core/step_result.h"
#include "ingot/core/token_event.h"
#include "ingot/kv/kv_cache.h"
#include "ingot/sched/sequence.h"
#include "ingot/sched/wait_queue.h"

namespace ingot {

// One thread at a time, but for check(), hash_prompt() and load_of().
class Scheduler {
 public:
  // Throws std::invalid_argument for settings with which no step can be made.
  Scheduler(const SchedulerConfig& config, const CacheConfig& cache, const std::vector<KvGroup>& groups);

  // Whether the request can ever run. kInvalidArgument otherwise. Any thread.
  Status check(const Request& request) const;

  // The prefix-cache hashes of a prompt, for add(); empty when prefix caching is off. Any thread.
  std::vector<BlockHash> hash_prompt(const Request& request) const;
  QueueLoad load_of(std::span<const Request> requests) const;  // while they wait

  // Queues all requests or none. `hashes`, if not empty, holds hash_prompt() of each; what is missing is hashed here.
  // Errors: those of check(); kResourceExhausted when more would wait than the stated bounds allow. A call that finds
  // the queue empty is not held to them.
  Status add(std::vector<Request> requests, std::vector<std::vector<BlockHash>> hashes = {});
  Status add(Request request);

  // Ends a request with kAbort: its event is ready at once, its blocks when no step in flight touches them. Ids that
  // are unknown or have ended are ignored.
  void abort(RequestId id);

  // The next step. Absent when there is nothing to plan, or nothing before a step in flight was digested: never absent
  // with no step in flight and has_unfinished().
  std::optional<StepPlan> schedule();

  // Takes the oldest step in flight as done: returns what its requests hear, in order of its rows, after events that
  // aborts left. A failed step ends its requests with kError. Throws std::logic_error for a step that is not the
  // oldest.
  std::vector<TokenEvent> digest(StepResult result);

  std::vector<TokenEvent> take_events();  // events that aborts left

  bool has_unfinished() const { return !sequences_.empty(); }  // or steps in flight
  int32_t max_num_tokens() const { return max_num_tokens_; }   // prompt + output that one request can reach
  QueueLoad waiting_load() const;
  EngineStats stats() const;
  bool reset_prefix_cache() { return kv_.reset(); }  // false, and nothing done, while a request holds blocks

  // kInternal unless pools, slots and queues add up; when nothing is unfinished, every block is free or cached.
  Status verify() const;

 private:
  struct StepRow {
    Sequence* sequence = nullptr;
    int32_t end = 0;  // tokens computed once the step is done
    bool samples = false;
  };
  struct Step {
    uint64_t number = 0;
    std::vector<StepRow> rows;
  };

  Status check_bounds(std::span<const Request> requests) const;
  void enqueue(Request request, std::vector<BlockHash> hashes);

  int32_t chunk(int32_t num_tokens, int32_t budget) const;
  int32_t num_wanted(const Sequence& sequence, int32_t budget) const;
  int32_t num_blocks_wanted() const;
  void preempt(Sequence& sequence);
  void admit(StepPlan& plan, int32_t budget);
  void start(Sequence& sequence, PrefixHit hit, StepPlan& plan);
  void plan_row(Sequence& sequence, int32_t num_tokens, BlockTables new_blocks, StepPlan& plan);

  static std::string defect(const Step& step, const StepResult& result);
  void commit(Sequence& sequence, int32_t end);
  void accept(Sequence& sequence, SampledToken token, TimePoint read_at);
  void hand_on(std::vector<PromptLogprobs> prompt_logprobs);
  TokenEvent& emit(Sequence& sequence);
  void finish(Sequence& sequence, FinishReason reason, TokenEvent& event);
  void retire(Sequence& sequence);

  SchedulerConfig config_;
  KvCache kv_;
  int32_t max_num_tokens_;
  int32_t num_watermark_blocks_;

  std::unordered_map<RequestId, Sequence> sequences_;  // owns; finished ones too while steps in flight hold them
  WaitQueue waiting_;
  std::vector<Sequence*> running_;  // by key: the last one is the first to be preempted
  std::vector<SlotId> free_slots_;
  std::deque<Step> in_flight_;
  std::vector<TokenEvent> events_;
  int64_t num_added_ = 0;
  uint64_t num_planned_ = 0;
  EngineStats stats_;
};

}  // namespace ingot
