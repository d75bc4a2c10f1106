// An Engine without a model: a script says each token. Serves the tests of everything above engine.h; links no MLX.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ingot/engine/engine.h"

namespace ingot {

// Output token number `index` (from 0) of a request. Called on the mock's thread.
using MockScript = std::function<int32_t(const Request& request, int32_t index)>;

// Says the prompt again, then EOS; where the request has no EOS, the prompt over and over.
int32_t echo_prompt(const Request& request, int32_t index);

struct MockOptions {
  MockScript script = echo_prompt;
  std::chrono::microseconds step_time{0};  // a step gives each running request one token
  int32_t max_num_seqs = 256;              // requests of one step; the others wait, first come first served
  int32_t max_num_queued_reqs = 0;         // 0 = no bound: submit() refuses beyond it
  int32_t vocab_size = 1 << 15;            // logprobs −1 lists this many
  bool ready = true;
};

// Logprobs are made up but consistent: the sampled token is the best one, at −0.5, and the i-th best is at −0.5 − i.
class MockEngine final : public Engine {
 public:
  explicit MockEngine(MockOptions options = {});
  ~MockEngine() override;

  Status submit(std::vector<Request> requests, EventSink sink) override;
  void abort(RequestId id) override;
  EngineStats stats() const override;
  bool ready() const override { return ready_ && alive_; }
  bool alive() const override { return alive_; }
  void stop(std::chrono::milliseconds drain) override;

  // What a test may ask for, from any thread.
  void hold(bool held);                // no step while held; aborts are still served
  void fail_step(std::string reason);  // the next step fails as a whole: its requests end with kError
  void die(std::string reason);        // every open request ends with kError and the engine is dead
  void set_ready(bool ready) { ready_ = ready; }

 private:
  struct Sequence;
  using Sequences = std::vector<std::unique_ptr<Sequence>>;

  struct Turn {  // what the thread does next
    bool goes_on = true, steps = true;
    std::optional<std::string> failure;
  };

  void run();
  Turn next_turn(Sequences& open);
  void step(Sequences& open, const std::optional<std::string>& failure);
  void end(Sequence& sequence, FinishReason reason, std::optional<Error> error = {});
  void deliver(Sequence& sequence, TokenEvent event);
  void remove_finished(Sequences& open);

  const MockOptions options_;
  std::atomic<bool> ready_, alive_{true};

  mutable std::mutex mutex_;  // guards what follows, up to the thread
  std::condition_variable changed_;
  Sequences arrivals_;
  std::vector<RequestId> aborts_;
  std::optional<std::string> failure_, death_;
  std::optional<TimePoint> stop_at_;  // set by stop(): open requests may run until then
  bool held_ = false;
  size_t num_open_ = 0;
  EngineStats stats_;

  std::once_flag joined_;
  std::thread thread_;  // last: starts when all else stands
};

}  // namespace ingot
