// The table of well-formed UTF-8 (Unicode 15, table 3-7) as ranges of the second byte.
#include "ingot/api/utf8.h"

namespace ingot::api {
namespace {

struct Lead {
  int num_bytes;              // of the whole sequence; 0 = no lead byte
  uint8_t second_min = 0x80;  // the second byte's range rules out overlong forms, surrogates and > U+10FFFF
  uint8_t second_max = 0xbf;
};

Lead lead_of(uint8_t byte) {
  if (byte < 0x80) return {1};
  if (byte < 0xc2) return {0};
  if (byte < 0xe0) return {2};
  if (byte == 0xe0) return {3, 0xa0};
  if (byte == 0xed) return {3, 0x80, 0x9f};
  if (byte < 0xf0) return {3};
  if (byte == 0xf0) return {4, 0x90};
  if (byte < 0xf4) return {4};
  if (byte == 0xf4) return {4, 0x80, 0x8f};
  return {0};
}

}  // namespace

Utf8Sequence first_sequence(std::string_view text) {
  const Lead lead = lead_of(static_cast<uint8_t>(text[0]));
  if (lead.num_bytes == 0) return {1, false};
  for (int i = 1; i < lead.num_bytes; ++i) {
    if (i >= static_cast<int>(text.size())) return {i, false};
    const auto byte = static_cast<uint8_t>(text[i]);
    const bool fits = i == 1 ? byte >= lead.second_min && byte <= lead.second_max : (byte & 0xc0) == 0x80;
    if (!fits) return {i, false};
  }
  return {lead.num_bytes, true};
}

int64_t count_code_points(std::string_view text) {
  int64_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first_sequence(text).num_bytes);
  return count;
}

}  // namespace ingot::api
