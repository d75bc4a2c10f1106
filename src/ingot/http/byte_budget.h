// A bound on the bytes of request bodies that the whole server holds at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace ingot::http {

// Any thread.
class ByteBudget {
 public:
  explicit ByteBudget(size_t max_bytes) : max_bytes_(max_bytes) {}
  size_t used() const { return used_; }

  // A share of the budget, given back when destroyed.
  class Lease {
   public:
    explicit Lease(std::shared_ptr<ByteBudget> budget) : budget_(std::move(budget)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { budget_->used_ -= bytes_; }

    // Raises the share to `bytes`. False: that would exceed the budget, and the share stays as it was.
    bool grow_to(size_t bytes) {
      if (bytes <= bytes_) return true;
      const size_t more = bytes - bytes_;
      if (budget_->used_.fetch_add(more) + more > budget_->max_bytes_) {
        budget_->used_ -= more;
        return false;
      }
      bytes_ = bytes;
      return true;
    }

   private:
    const std::shared_ptr<ByteBudget> budget_;
    size_t bytes_ = 0;
  };

 private:
  const size_t max_bytes_;
  std::atomic<size_t> used_ = 0;
};

}  // namespace ingot::http
