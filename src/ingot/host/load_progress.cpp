// On standard error, where the log goes too.
#include "ingot/host/load_progress.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "ingot/base/log.h"

namespace ingot {
namespace {

constexpr int kWidth = 30;
constexpr std::chrono::milliseconds kBarInterval{100};
constexpr std::chrono::seconds kFirst{1}, kLineInterval{5};

}  // namespace

std::string progress_text(uint64_t bytes, uint64_t total, double seconds) {
  const double share = total > 0 ? static_cast<double>(bytes) / static_cast<double>(total) : 1.0;
  const double rate = seconds > 0 ? static_cast<double>(bytes) / seconds : 0.0;
  const double left = rate > 0 ? static_cast<double>(total - bytes) / rate : 0.0;
  const int done = static_cast<int>(share * kWidth);
  constexpr double kGiB = 1 << 30;
  return fmt::format("[{}{}] {:3.0f} %  {:.1f} of {:.1f} GiB, {:.2f} GiB/s, {:.0f} s left", std::string(done, '#'),
                     std::string(kWidth - done, '-'), 100 * share, static_cast<double>(bytes) / kGiB,
                     static_cast<double>(total) / kGiB, rate / kGiB, left);
}

LoadProgressBar::LoadProgressBar()
    : on_terminal_(::isatty(STDERR_FILENO) == 1), start_(now()), next_(start_ + kFirst) {}

LoadProgressBar::~LoadProgressBar() {
  if (shown_ && on_terminal_) fmt::print(stderr, "\r\x1b[K");
}

void LoadProgressBar::show(uint64_t bytes, uint64_t total) {
  const TimePoint time = now();
  if (time < next_) return;
  const std::string text = progress_text(bytes, total, seconds_between(start_, time));
  if (on_terminal_) {
    fmt::print(stderr, "\rloading weights {}\x1b[K", text);
    std::fflush(stderr);
    next_ = time + kBarInterval;
  } else {
    log::info("loading weights {}", text);
    next_ = time + kLineInterval;
  }
  shown_ = true;
}

}  // namespace ingot
