// Hands a call's token events from the engine thread to its connection's thread.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "ingot/core/token_event.h"

namespace ingot::serve {

// push() on the engine thread, take() and close() on any other. Events wait here in their compact form while a client
// reads slowly; beyond `max_bytes` the inbox overflows: it drops all and stays closed.
class Inbox {
 public:
  explicit Inbox(size_t max_bytes) : max_bytes_(max_bytes) {}

  enum class Push {
    kFirst,     // the inbox was empty: the reader must be woken
    kMore,      // the reader has been woken and has not come yet
    kOverflow,  // this event went over the bound: told once
    kClosed,    // nobody listens any more
  };
  Push push(TokenEvent&& event);

  // Moves at most `limit` events, oldest first, to the end of `events`. True: some are left, come again.
  bool take(std::vector<TokenEvent>& events, size_t limit);
  bool overflowed() const;
  void close();

 private:
  const size_t max_bytes_;
  mutable std::mutex mutex_;
  std::vector<TokenEvent> events_;
  size_t begin_ = 0;  // events before it were taken
  size_t bytes_ = 0;
  bool closed_ = false, overflowed_ = false;
};

}  // namespace ingot::serve
