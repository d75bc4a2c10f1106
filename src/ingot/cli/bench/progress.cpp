// Draws at most ten times a second on a terminal, and every ten seconds elsewhere.
#include "ingot/cli/bench/progress.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace ingot::cli {
namespace {

constexpr int kWidth = 30;

}  // namespace

Progress::Progress(std::string unit, int64_t total, bool shown)
    : unit_(std::move(unit)), total_(total), shown_(shown), on_terminal_(isatty(STDERR_FILENO)) {
  if (on_terminal_) draw(false);
  drawn_ = start_;
}

Progress::~Progress() {
  draw(true);
  if (shown_ && on_terminal_) std::fputc('\n', stderr);
}

void Progress::set(int64_t done) {
  done_ = done;
  const double pause_s = on_terminal_ ? 0.1 : 10;
  if (seconds_between(drawn_, now()) >= pause_s) draw(false);
}

void Progress::draw(bool last) {
  if (!shown_) return;
  drawn_ = now();
  const double elapsed_s = seconds_between(start_, drawn_);
  const double rate = elapsed_s > 0 ? static_cast<double>(done_) / elapsed_s : 0;
  std::string text = fmt::format("{}/{} {}, {:.0f} s, {:.1f}/s", done_, total_, unit_, elapsed_s, rate);
  if (!last && rate > 0) text += fmt::format(", {:.0f} s left", static_cast<double>(total_ - done_) / rate);
  if (!on_terminal_) {
    fmt::print(stderr, "{}\n", text);
    return;
  }
  const auto filled = static_cast<int>(total_ > 0 ? kWidth * std::min(done_, total_) / total_ : 0);
  fmt::print(stderr, "\r[{:<{}}] {}\033[K", std::string(static_cast<size_t>(filled), '#'), kWidth, text);
}

}  // namespace ingot::cli
