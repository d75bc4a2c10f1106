// How far a long run is: a bar on a terminal, a line now and then elsewhere. Standard error.
#pragma once

#include <cstdint>
#include <string>

#include "ingot/base/clock.h"

namespace ingot::cli {

class Progress {
 public:
  // `unit`: "requests". Not shown: says nothing.
  Progress(std::string unit, int64_t total, bool shown);
  ~Progress();  // ends the bar's line

  void set(int64_t done);
  void step() { set(done_ + 1); }

 private:
  void draw(bool last);

  const std::string unit_;
  const int64_t total_;
  const bool shown_, on_terminal_;
  const TimePoint start_ = now();
  TimePoint drawn_{};
  int64_t done_ = 0;
};

}  // namespace ingot::cli
