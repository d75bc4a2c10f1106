// Sequences that wait for admission, in the order of service, with what they amount to.
#pragma once

#include <cstdint>
#include <set>

#include "ingot/sched/sequence.h"

namespace ingot {

// Preempted sequences return to their old place, which under fcfs is the front: all who wait came later. So one ordered
// set serves both policies, and an abort costs O(log n). Holds no ownership.
class WaitQueue {
 public:
  void push(Sequence& sequence) {
    queue_.insert(&sequence);
    num_tokens_ += sequence.num_tokens();
    num_bytes_ += sequence.num_bytes();
  }
  void erase(Sequence& sequence) {
    if (queue_.erase(&sequence) == 0) return;
    num_tokens_ -= sequence.num_tokens();
    num_bytes_ -= sequence.num_bytes();
  }

  bool empty() const { return queue_.empty(); }
  Sequence& front() const { return **queue_.begin(); }
  int64_t size() const { return static_cast<int64_t>(queue_.size()); }
  int64_t num_tokens() const { return num_tokens_; }
  int64_t num_bytes() const { return num_bytes_; }

 private:
  struct ByKey {
    bool operator()(const Sequence* a, const Sequence* b) const { return a->key < b->key; }
  };
  std::set<Sequence*, ByKey> queue_;
  int64_t num_tokens_ = 0, num_bytes_ = 0;
};

}  // namespace ingot
