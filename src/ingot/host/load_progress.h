// Tells who waits how far a load is: a bar on a terminal, else a line in the log now and then.
#pragma once

#include <cstdint>
#include <string>

#include "ingot/base/clock.h"

namespace ingot {

// "[#####-----]  52 %  1.3 of 2.5 GiB, 0.4 GiB/s, 3 s left"
std::string progress_text(uint64_t bytes, uint64_t total, double seconds);

class LoadProgressBar {
 public:
  LoadProgressBar();
  ~LoadProgressBar();  // wipes the bar
  LoadProgressBar(const LoadProgressBar&) = delete;
  LoadProgressBar& operator=(const LoadProgressBar&) = delete;

  void show(uint64_t bytes, uint64_t total);  // as often as one likes

 private:
  const bool on_terminal_;
  const TimePoint start_;
  TimePoint next_;
  bool shown_ = false;
};

}  // namespace ingot
