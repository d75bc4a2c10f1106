// One call from its bytes to the end of its reply, across three threads: worker, engine, connection.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ingot/engine/engine.h"
#include "ingot/serve/beam_call.h"
#include "ingot/serve/inbox.h"
#include "ingot/serve/metrics.h"
#include "ingot/serve/prepare.h"
#include "ingot/serve/reply.h"

namespace ingot::serve {

// A model and the engine that runs it; held by every call, so that it outlives them.
struct OpenModel {
  ServedModel model;
  std::shared_ptr<Engine> engine;
  std::unique_ptr<Metrics> metrics;
};

// The connection's thread calls poll() whenever it was woken, and cancel() when the client is gone.
class Call : public std::enable_shared_from_this<Call> {
 public:
  // Called on an engine or worker thread when poll() has something to find; must return at once and not throw.
  using Wake = std::function<void()>;

  // What answers without the engine (tokenize.h, render.h): the body of the reply, on a worker.
  using Job = api::Parsed<std::string> (*)(const ServedModel& model, const CallInput& input);

  // A completion or a chat, or a job.
  using Task = std::variant<api::Endpoint, Job>;

  Call(Task task, CallInput input, std::shared_ptr<const OpenModel> open, Wake wake);

  // A worker's job: does the call's job, or prepares the call and submits it. What goes wrong becomes the reply.
  void start() noexcept;

  // Connection's thread. After `ended`, neither is called again.
  void poll(Progress& progress);
  void cancel();  // its sequences end in the engine within one step

 private:
  enum class State { kPreparing, kAnswered, kRunning };

  void submit();
  Status run(std::vector<Request> requests);
  void add(const TokenEvent& event);
  void next_beams();  // the next round of a beam search, or its results
  void answer(WholeReply reply);
  void refuse(const api::ApiError& error) { answer(error_reply(error)); }
  void on_event(TokenEvent event);  // engine thread
  void abort_all();

  const Task task_;
  const std::shared_ptr<const OpenModel> open_;
  const Wake wake_;
  CallInput input_;
  Inbox inbox_;

  // cancel() and start() race: each sets its own flag before it reads the other's, so one of them aborts.
  std::atomic<bool> cancelled_ = false, submitted_ = false;

  std::mutex mutex_;            // guards ids_, state_, answer_ and the handing over of reply_ and beams_
  std::vector<RequestId> ids_;  // that the engine was given last
  State state_ = State::kPreparing;
  std::optional<WholeReply> answer_;
  std::unique_ptr<Reply> reply_;     // made by the worker; the connection's from kRunning on
  std::unique_ptr<BeamCall> beams_;  // likewise, of a beam search

  std::vector<TokenEvent> events_;  // connection's thread
  std::vector<RequestId> stopped_;
};

}  // namespace ingot::serve
