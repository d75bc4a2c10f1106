// The queue's door and what holds between steps; planning and digesting have files of their own.
#include "ingot/sched/scheduler.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace ingot {

Scheduler::Scheduler(const SchedulerConfig& config, const CacheConfig& cache, const std::vector<KvGroup>& groups)
    : config_(config), kv_(cache, groups) {
  if (config.max_num_batched_tokens < 1 || config.max_num_seqs < 1 || config.max_model_len < 2)
    throw std::invalid_argument("a step needs a token, a sequence and a model length of at least 2");
  if (!config.enable_chunked_prefill) config_.long_prefill_token_threshold = 0;
  // Alone, a sequence of this length always fits, in a step and in the pool: so waiting always ends.
  int64_t most = std::min<int64_t>(config.max_model_len, int64_t{kv_.num_usable()} * kv_.block_size());
  if (!config.enable_chunked_prefill) most = std::min<int64_t>(most, config.max_num_batched_tokens);
  max_num_tokens_ = static_cast<int32_t>(most);
  num_watermark_blocks_ = static_cast<int32_t>(config.watermark * kv_.num_usable());
  for (int32_t slot = config.max_num_seqs - 1; slot >= 0; --slot) free_slots_.push_back(SlotId{slot});
}

Status Scheduler::check(const Request& request) const {
  const auto num_tokens = static_cast<int64_t>(request.prompt.size());
  if (num_tokens == 0) return fail(ErrorCode::kInvalidArgument, "the prompt has no tokens", "prompt");
  if (request.sampling.max_tokens < 1)
    return fail(ErrorCode::kInvalidArgument, "max_tokens must be at least 1", "max_tokens");
  if (num_tokens < max_num_tokens_) return {};
  const char* bound = max_num_tokens_ == config_.max_model_len ? "the model's length"
                      : max_num_tokens_ == config_.max_num_batched_tokens && !config_.enable_chunked_prefill
                          ? "a step's tokens without chunked prefill"
                          : "the KV cache";
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("the prompt has {} tokens and needs room for one more, but {} ends at {}", num_tokens, bound,
                          max_num_tokens_),
              "prompt");
}

// Free slots do not count as queue: a burst that finds an idle engine is not refused for arriving between two steps.
Status Scheduler::check_bounds(std::span<const Request> requests) const {
  if (waiting_.empty()) return {};
  QueueLoad waiting = waiting_load();
  waiting.num_requests -= std::ssize(free_slots_);
  return check_queue(config_, waiting, load_of(requests));
}

QueueLoad Scheduler::load_of(std::span<const Request> requests) const {
  QueueLoad load{.num_requests = std::ssize(requests)};
  for (const Request& request : requests) load.num_tokens += std::ssize(request.prompt);
  load.num_bytes = load.num_requests * int64_t{sizeof(Sequence)} + load.num_tokens * int64_t{sizeof(int32_t)} +
                   load.num_tokens / kv_.block_size() * int64_t{sizeof(BlockHash)};
  return load;
}

QueueLoad Scheduler::waiting_load() const {
  return {.num_requests = waiting_.size(), .num_tokens = waiting_.num_tokens(), .num_bytes = waiting_.num_bytes()};
}

std::vector<BlockHash> Scheduler::hash_prompt(const Request& request) const {
  std::vector<BlockHash> hashes;
  kv_.hash(hashes, request.prompt, request.cache_salt);
  return hashes;
}

Status Scheduler::add(Request request) {
  std::vector<Request> one;
  one.push_back(std::move(request));
  return add(std::move(one));
}

Status Scheduler::add(std::vector<Request> requests, std::vector<std::vector<BlockHash>> hashes) {
  std::unordered_set<RequestId> ids;
  for (const Request& request : requests) {
    if (Status sound = check(request); !sound) return sound;
    if (sequences_.contains(request.id) || !ids.insert(request.id).second)
      return fail(ErrorCode::kInvalidArgument, "a request of this id is already there");
  }
  if (Status room = check_bounds(requests); !room) return room;
  hashes.resize(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) enqueue(std::move(requests[i]), std::move(hashes[i]));
  return {};
}

void Scheduler::enqueue(Request request, std::vector<BlockHash> hashes) {
  const bool fcfs = config_.policy == SchedulingPolicy::kFcfs;
  Sequence& sequence = sequences_[request.id];
  sequence.id = request.id;
  sequence.key = {fcfs ? 0 : request.priority, fcfs ? num_added_++ : request.arrival.time_since_epoch().count(),
                  request.id};
  sequence.num_prompt_tokens = static_cast<int32_t>(request.prompt.size());
  sequence.max_num_tokens = static_cast<int32_t>(
      std::min<int64_t>(max_num_tokens_, int64_t{sequence.num_prompt_tokens} + request.sampling.max_tokens));
  sequence.tokens = std::move(request.prompt);
  sequence.sampling = std::move(request.sampling);
  sequence.cache_salt = std::move(request.cache_salt);
  sequence.times.arrival = request.arrival;
  sequence.pages.tables.resize(kv_.num_groups());
  sequence.pages.hashes = std::move(hashes);
  kv_.hash(sequence.pages.hashes, sequence.tokens, sequence.cache_salt);
  waiting_.push(sequence);
}

EngineStats Scheduler::stats() const {
  EngineStats stats = stats_;
  stats.num_running = static_cast<int32_t>(running_.size());
  stats.num_waiting = static_cast<int32_t>(waiting_.size());
  stats.kv_cache_usage = kv_.usage();
  return stats;
}

Status Scheduler::verify() const {
  const auto unsound = [](std::string message) { return fail(ErrorCode::kInternal, std::move(message)); };
  std::vector<const SequencePages*> pages;
  std::vector<SlotId> slots = free_slots_;
  int64_t num_waiting = 0, num_running = 0;
  for (const auto& [id, sequence] : sequences_) {
    pages.push_back(&sequence.pages);
    if (sequence.slot) slots.push_back(*sequence.slot);
    num_waiting += !sequence.slot;
    num_running += sequence.slot && !sequence.finish;
    const auto num_blocks = static_cast<int32_t>(sequence.pages.tables[0].size());
    if (num_blocks != kv_.blocks_for(sequence.num_computed_tokens))
      return unsound(fmt::format("{} blocks hold {} tokens", num_blocks, sequence.num_computed_tokens));
    if (sequence.finish && sequence.num_in_flight == 0) return unsound("an ended sequence was kept");
  }
  std::ranges::sort(slots);
  for (size_t i = 0; i < slots.size(); ++i) {
    if (index(slots[i]) != i) return unsound(fmt::format("slot {} is lost or shared", i));
  }
  if (static_cast<int32_t>(slots.size()) != config_.max_num_seqs) return unsound("a slot is lost");
  if (num_waiting != waiting_.size() || num_running != static_cast<int64_t>(running_.size()))
    return unsound(
        fmt::format("{} of {} wait, {} of {} run", waiting_.size(), num_waiting, running_.size(), num_running));
  if (!std::ranges::is_sorted(running_, {}, &Sequence::key)) return unsound("the running ones are out of order");
  return kv_.verify(pages);
}

}  // namespace ingot
