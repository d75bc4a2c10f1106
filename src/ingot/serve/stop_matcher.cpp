// Plain search over held text + new piece: both are short, so nothing cleverer pays.
#include "ingot/serve/stop_matcher.h"

#include <algorithm>

namespace ingot::serve {

void StopMatcher::push(std::string_view text, std::string& out) {
  if (match_) return;
  if (stops_.empty()) {
    out += text;
    return;
  }
  held_ += text;
  size_t begin = 0, end = std::string::npos;
  for (size_t i = 0; i < stops_.size(); ++i) {
    const size_t at = held_.find(stops_[i]);
    if (at == std::string::npos || at + stops_[i].size() >= end) continue;
    begin = at;
    end = at + stops_[i].size();
    match_ = i;
  }
  if (match_) {
    out.append(held_, 0, include_ ? end : begin);
    held_.clear();
    return;
  }
  release(out);
}

void StopMatcher::pass(std::string_view text, std::string& out) {
  if (match_) return;
  held_ += text;
  release(out);
}

void StopMatcher::release(std::string& out) {
  const size_t certain = held_.size() - held_length();
  out.append(held_, 0, certain);
  held_.erase(0, certain);
}

void StopMatcher::flush(std::string& out) {
  out += held_;
  held_.clear();
}

// The longest suffix of the held text that begins some stop string.
size_t StopMatcher::held_length() const {
  size_t longest = 0;
  for (const std::string& stop : stops_) {
    for (size_t length = std::min(stop.size() - 1, held_.size()); length > longest; --length) {
      if (held_.ends_with(std::string_view(stop).substr(0, length))) longest = length;
    }
  }
  return longest;
}

}  // namespace ingot::serve
