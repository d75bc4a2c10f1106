// One completion or chat call from its bytes to its last token, across three threads: worker, engine, connection.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "ingot/engine/engine.h"
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

  Call(api::Endpoint endpoint, CallInput input, std::shared_ptr<const OpenModel> open, Wake wake);

  // A worker's job: prepares the call and submits it. What goes wrong becomes the reply.
  void start() noexcept;

  // Connection's thread. After `ended`, neither is called again.
  void poll(Progress& progress);
  void cancel();  // its sequences end in the engine within one step

 private:
  enum class State { kPreparing, kRefused, kRunning };

  void submit();
  void refuse(api::ApiError error);
  void on_event(TokenEvent event);  // engine thread
  void abort_all();

  const api::Endpoint endpoint_;
  const std::shared_ptr<const OpenModel> open_;
  const Wake wake_;
  CallInput input_;
  Inbox inbox_;

  // cancel() and start() race: each sets its own flag before it reads the other's, so one of them aborts.
  std::atomic<bool> cancelled_ = false, submitted_ = false;
  std::vector<RequestId> ids_;  // written before submitted_

  std::mutex mutex_;  // guards state_, refusal_ and the handing over of reply_
  State state_ = State::kPreparing;
  std::optional<api::ApiError> refusal_;
  std::unique_ptr<Reply> reply_;  // made by the worker; the connection's from kRunning on

  std::vector<TokenEvent> events_;  // connection's thread
  std::vector<RequestId> stopped_;
};

}  // namespace ingot::serve
