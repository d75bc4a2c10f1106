// Walks text of unknown quality as UTF-8.
#pragma once

#include <cstdint>
#include <string_view>

namespace ingot::api {

// The sequence at the front of a text: its bytes, and whether they are one code point. A broken sequence is the longest
// prefix of a possible one, at least a byte, so that each stands for one U+FFFD (Unicode 15, §3.9, maximal subparts).
struct Utf8Sequence {
  int num_bytes = 0;
  bool valid = false;
};

Utf8Sequence first_sequence(std::string_view text);  // requires !text.empty()

int64_t count_code_points(std::string_view text);  // broken sequences count as one

}  // namespace ingot::api
