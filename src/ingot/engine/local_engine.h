// The engine in this process: one thread that owns scheduler and runner.
//
//   submit/abort ──► inbox ──► scheduler ──► StepPlan ──► runner
//                                  ▲                         │
//        sinks ◄── events ◄────────┴────── StepResult ◄──────┘
//
// The plan and the graph of step N + 1 are made before step N's tokens are read.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "ingot/engine/engine.h"
#include "ingot/runner/step_runner.h"
#include "ingot/sched/scheduler.h"

namespace ingot {

struct EngineParts {
  std::unique_ptr<Scheduler> scheduler;
  std::unique_ptr<StepRunner> runner;
  SchedulerConfig limits;  // what the scheduler was made with
  int32_t num_kv_groups = 1;
};

class LocalEngine final : public Engine {
 public:
  // Runs on the engine thread, which is the only one to touch what it makes.
  using Build = std::function<Result<EngineParts>()>;

  explicit LocalEngine(Build build);
  ~LocalEngine() override;

  // Blocks until the parts are built and one real step has run, or until that failed.
  Status wait_ready();

  Status submit(std::vector<Request> requests, EventSink sink) override;
  void abort(RequestId id) override;
  EngineStats stats() const override;
  bool ready() const override { return state_ == State::kReady; }
  bool alive() const override { return state_ != State::kDead; }
  void stop(std::chrono::milliseconds drain) override;

 private:
  enum class State { kStarting, kReady, kStopping, kDead };
  struct Submission {
    std::vector<Request> requests;
    std::vector<std::vector<BlockHash>> hashes;
    std::shared_ptr<EventSink> sink;
  };

  void run(const Build& build);
  void warm_up();
  void loop();
  void wait_for_work(std::unique_lock<std::mutex>& lock);
  bool take_commands(bool wait);
  void remember(const Submission& submission);
  void accept(Submission submission);
  void collect();
  void deliver(std::vector<TokenEvent> events);
  void publish();
  void die(const std::string& reason);

  std::atomic<State> state_{State::kStarting};
  EngineParts parts_;  // built, used and destroyed on the engine thread, but for the scheduler's any-thread methods

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::condition_variable started_;
  std::vector<Submission> submissions_;
  std::vector<RequestId> aborts_;
  QueueLoad submitted_;  // in the inbox, not yet with the scheduler
  QueueLoad queued_;     // with the scheduler, not yet admitted
  EngineStats stats_;
  Error start_error_;
  TimePoint drain_until_{};

  std::unordered_map<RequestId, std::shared_ptr<EventSink>> sinks_;  // engine thread only
  int in_flight_ = 0;                                                // engine thread only

  std::thread thread_;
};

}  // namespace ingot
