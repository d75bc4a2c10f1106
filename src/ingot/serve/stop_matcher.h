// Looks for stop strings in text that arrives in pieces.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ingot::serve {

// Of several matches the one that ends first wins, at the same end the one earlier in the list. Text is let through as
// soon as no stop string can begin in it any more, so at most max(length) − 1 bytes are held back.
class StopMatcher {
 public:
  // `stops`: none empty. `include`: the match itself belongs to the text.
  StopMatcher(std::vector<std::string> stops, bool include) : stops_(std::move(stops)), include_(include) {}

  // Appends to `out` what is certain now. After a match nothing comes through any more.
  void push(std::string_view text, std::string& out);
  // The same, but a stop string that ends in this text does not count (min_tokens).
  void pass(std::string_view text, std::string& out);
  // The output ended: appends what was held back.
  void flush(std::string& out);

  const std::string* match() const { return match_ ? &stops_[*match_] : nullptr; }

 private:
  void release(std::string& out);
  size_t held_length() const;

  std::vector<std::string> stops_;
  bool include_;
  std::string held_;  // a suffix of the text in which a stop string may have begun
  std::optional<size_t> match_;
};

}  // namespace ingot::serve
