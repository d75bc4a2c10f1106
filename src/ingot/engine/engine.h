// The engine as everything above it sees it: submit, abort, stats, events. Implemented by the real engine and the mock.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "ingot/base/result.h"
#include "ingot/core/engine_stats.h"
#include "ingot/core/request.h"
#include "ingot/core/token_event.h"

namespace ingot {

// Called on the engine thread, in order, until an event with `finish` has been delivered. Must return at once and not
// throw.
using EventSink = std::function<void(TokenEvent)>;

class Engine {
 public:
  virtual ~Engine() = default;

  // Any thread. Takes all requests or none (n choices of one call). Errors: kResourceExhausted when the queue's bounds
  // are reached, kUnavailable when the engine is stopping or dead, kInvalidArgument when a request can never run.
  virtual Status submit(std::vector<Request> requests, EventSink sink) = 0;

  // Any thread. The request ends within one step with FinishReason::kAbort; unknown or finished ids are ignored.
  virtual void abort(RequestId id) = 0;

  // Any thread.
  virtual EngineStats stats() const = 0;
  virtual bool ready() const = 0;  // one real step has run
  virtual bool alive() const = 0;  // false once the engine cannot go on; every open request has then ended with kError

  // Refuses new requests, lets open ones run for at most `drain`, aborts the rest and joins. Idempotent.
  virtual void stop(std::chrono::milliseconds drain) = 0;
};

}  // namespace ingot
