// Messages, and the text they quote.
#include "ingot/checkpoint/format_error.h"

#include <cstdint>

#include <fmt/format.h>

namespace ingot {

void corrupt(const std::string& message) { throw FormatError(ErrorCode::kCorrupt, message); }
void unsupported(const std::string& message) { throw FormatError(ErrorCode::kUnsupported, message); }

namespace {

// Length of the sequence that a lead byte opens, 0 for a byte that opens none (continuations, overlong C0 and C1).
int sequence_length(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<uint8_t>(text[i]);
    const int length = sequence_length(lead);
    if (length == 0 || text.size() - i < static_cast<size_t>(length)) return false;
    uint32_t code = length == 1 ? lead : lead & (0x7F >> length);
    for (int k = 1; k < length; ++k) {
      const auto next = static_cast<uint8_t>(text[i + k]);
      if ((next & 0xC0) != 0x80) return false;
      code = code << 6 | (next & 0x3F);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    if (overlong || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return false;
    i += length;
  }
  return true;
}

std::string quoted(std::string_view text) {
  constexpr size_t kMost = 80;
  const bool printable = is_utf8(text);
  std::string out = "'";
  for (const char c : text.substr(0, kMost)) {
    const auto byte = static_cast<uint8_t>(c);
    const bool plain = byte >= 0x20 && byte != 0x7F && (byte < 0x80 || (printable && text.size() <= kMost));
    out += plain ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return out + (text.size() > kMost ? "…'" : "'");
}

}  // namespace ingot
