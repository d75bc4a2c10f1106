// The beam searches of a call, a prompt each, in step with one another.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "ingot/core/request.h"
#include "ingot/core/token_event.h"
#include "ingot/serve/beam_search.h"
#include "ingot/serve/prepare.h"

namespace ingot::serve {

// The worker makes it and takes the first round; from then on it is the connection's.
class BeamCall {
 public:
  // `call` asked for beam search.
  BeamCall(const ServedModel& model, const PreparedCall& call);

  // What the engine is to run next, ids ascending from a fresh one. None: the searches have ended.
  std::vector<Request> next_round();

  // True when the event was the last of its round.
  bool add(const TokenEvent& event);

  // The replies' events, once the searches have ended: two for each of the call's requests, in their order.
  std::vector<TokenEvent> results() const;

 private:
  struct Slot {
    size_t search, beam;
  };

  const std::vector<RequestId> choices_;
  const size_t width_;
  std::vector<BeamSearch> searches_;
  std::vector<Slot> slots_;  // by the round's requests
  RequestId first_id_{};
  size_t num_open_ = 0;
  RequestTimes times_;
  std::vector<int32_t> cached_;  // by prompt, in the first round
};

}  // namespace ingot::serve
