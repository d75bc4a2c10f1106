// The engine thread's loop, its inbox and its end.
#include "ingot/engine/local_engine.h"

#include <stdexcept>
#include <utility>

#include "ingot/base/log.h"

namespace ingot {
namespace {

StepPlan warm_up_plan(int32_t num_kv_groups) {
  StepPlan plan;
  plan.starts.emplace_back();
  PlannedRow row;
  row.num_tokens = 1;
  row.token_ids = {0};
  row.new_blocks.assign(num_kv_groups, {kNullBlock});  // the null block takes the write, so no page is spent
  row.samples = true;
  plan.rows.push_back(std::move(row));
  return plan;
}

constexpr auto kRestAfter = std::chrono::milliseconds(500);

}  // namespace

LocalEngine::LocalEngine(Build build) : thread_([this, build = std::move(build)] { run(build); }) {}

LocalEngine::~LocalEngine() { stop(std::chrono::milliseconds(0)); }

Status LocalEngine::wait_ready() {
  std::unique_lock lock(mutex_);
  started_.wait(lock, [this] { return state_ != State::kStarting; });
  if (state_ == State::kDead) return std::unexpected(start_error_);
  return {};
}

Status LocalEngine::submit(std::vector<Request> requests, EventSink sink) {
  if (!ready()) return fail(ErrorCode::kUnavailable, "the engine is not running");
  Submission submission{std::move(requests), {}, std::make_shared<EventSink>(std::move(sink))};
  for (const Request& request : submission.requests) {
    if (Status possible = parts_.scheduler->check(request); !possible) return possible;
    submission.hashes.push_back(parts_.scheduler->hash_prompt(request));
  }
  const QueueLoad load = parts_.scheduler->load_of(submission.requests);
  std::lock_guard lock(mutex_);
  if (state_ != State::kReady) return fail(ErrorCode::kUnavailable, "the server is shutting down");
  QueueLoad waiting = queued_;
  waiting += submitted_;
  // The scheduler has the last word; this one can answer before any byte of a stream.
  if (Status free = check_queue(parts_.limits, waiting, load); !free) return free;
  submitted_ += load;
  submissions_.push_back(std::move(submission));
  wake_.notify_one();
  return {};
}

void LocalEngine::abort(RequestId id) {
  std::lock_guard lock(mutex_);
  aborts_.push_back(id);
  wake_.notify_one();
}

EngineStats LocalEngine::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

void LocalEngine::stop(std::chrono::milliseconds drain) {
  {
    std::lock_guard lock(mutex_);
    if (state_ != State::kDead) state_ = State::kStopping;
    drain_until_ = now() + drain;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void LocalEngine::run(const Build& build) {
  try {
    Result<EngineParts> parts = build();
    if (parts) {
      parts_ = std::move(*parts);
      warm_up();
      loop();
    } else {
      std::lock_guard lock(mutex_);
      start_error_ = parts.error();
      state_ = State::kDead;
    }
  } catch (const std::exception& e) {
    die(e.what());
  }
  started_.notify_all();
  parts_.runner.reset();
}

void LocalEngine::warm_up() {
  parts_.runner->prepare(warm_up_plan(parts_.num_kv_groups));
  parts_.runner->launch();
  const StepResult result = parts_.runner->collect();
  if (!result.error.empty()) throw std::runtime_error("the first step failed: " + result.error);
  std::lock_guard lock(mutex_);
  if (state_ == State::kStarting) state_ = State::kReady;
  started_.notify_all();
}

void LocalEngine::loop() {
  Scheduler& scheduler = *parts_.scheduler;
  StepRunner& runner = *parts_.runner;
  while (take_commands(in_flight_ == 0 && !scheduler.has_unfinished())) {
    deliver(scheduler.take_events());
    const std::optional<StepPlan> plan = scheduler.schedule();
    if (plan) runner.prepare(*plan);
    const int ahead = in_flight_;
    if (plan && runner.queues_ahead()) runner.launch();
    if (ahead > 0) collect();
    if (plan && !runner.queues_ahead()) runner.launch();
    if (plan) ++in_flight_;
    publish();
  }
}

// Sleeps until the inbox has something; after a while the runner rests too.
void LocalEngine::wait_for_work(std::unique_lock<std::mutex>& lock) {
  const auto work = [this] { return !submissions_.empty() || !aborts_.empty() || state_ == State::kStopping; };
  if (wake_.wait_for(lock, kRestAfter, work)) return;
  lock.unlock();
  parts_.runner->rest();
  lock.lock();
  wake_.wait(lock, work);
}

// Hands the inbox to the scheduler. With `wait`, sleeps until there is something to do. False when the engine should
// end.
bool LocalEngine::take_commands(bool wait) {
  std::vector<Submission> submissions;
  std::vector<RequestId> aborts;
  bool overdue = false;
  {
    std::unique_lock lock(mutex_);
    if (wait) wait_for_work(lock);
    submissions = std::exchange(submissions_, {});
    for (const Submission& submission : submissions) remember(submission);
    aborts = std::exchange(aborts_, {});
    submitted_ = {};
    if (state_ == State::kStopping) {
      if (wait && submissions.empty()) return false;
      overdue = now() >= drain_until_;
    }
  }
  for (Submission& submission : submissions) accept(std::move(submission));
  if (overdue) {
    for (const auto& [id, sink] : sinks_) aborts.push_back(id);
  }
  for (const RequestId id : aborts) parts_.scheduler->abort(id);
  publish();
  return true;
}

// From here on die() finds them.
void LocalEngine::remember(const Submission& submission) {
  for (const Request& request : submission.requests) sinks_[request.id] = submission.sink;
}

void LocalEngine::accept(Submission submission) {
  std::vector<TokenEvent> refusals;
  for (const Request& request : submission.requests) {
    TokenEvent& refusal = refusals.emplace_back();
    refusal.request = request.id;
    refusal.finish = FinishReason::kError;
    refusal.times.arrival = request.arrival;
  }
  const Status added = parts_.scheduler->add(std::move(submission.requests), std::move(submission.hashes));
  if (added) return;
  for (TokenEvent& refusal : refusals) refusal.error = added.error();
  deliver(std::move(refusals));
}

void LocalEngine::collect() {
  StepResult result = parts_.runner->collect();
  --in_flight_;
  const bool failed = !result.error.empty();
  if (failed) log::error("step {} failed: {}", result.step, result.error);
  deliver(parts_.scheduler->digest(std::move(result)));
  if (!failed && !parts_.limits.verify_each_step) return;
  if (Status sound = parts_.scheduler->verify(); !sound) throw std::runtime_error(sound.error().message);
}

void LocalEngine::deliver(std::vector<TokenEvent> events) {
  for (TokenEvent& event : events) {
    const auto found = sinks_.find(event.request);
    if (found == sinks_.end()) continue;
    const std::shared_ptr<EventSink> sink = found->second;
    if (event.finish) sinks_.erase(found);
    (*sink)(std::move(event));
  }
}

void LocalEngine::publish() {
  std::lock_guard lock(mutex_);
  stats_ = parts_.scheduler->stats();
  queued_ = parts_.scheduler->waiting_load();
}

// The loop cannot go on: everyone hears of it, and nobody is let in any more.
void LocalEngine::die(const std::string& reason) {
  log::error("the engine cannot go on: {}", reason);
  const Error error{ErrorCode::kInternal, "the engine has stopped after a fault: " + reason, {}};
  {
    std::lock_guard lock(mutex_);
    start_error_ = error;
    state_ = State::kDead;
    for (const Submission& submission : std::exchange(submissions_, {})) remember(submission);
    stats_.num_running = stats_.num_waiting = 0;
    stats_.kv_cache_usage = 0;
    stats_.finished[static_cast<size_t>(FinishReason::kError)] += sinks_.size();
  }
  std::vector<TokenEvent> events;
  for (const auto& [id, sink] : sinks_) {
    TokenEvent event;
    event.request = id;
    event.finish = FinishReason::kError;
    event.error = error;
    events.push_back(std::move(event));
  }
  deliver(std::move(events));
}

}  // namespace ingot
