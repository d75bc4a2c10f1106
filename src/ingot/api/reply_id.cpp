// Random ids: unguessable is not needed, distinct is.
#include "ingot/api/reply_id.h"

#include <cstdint>
#include <random>

namespace ingot::api {

std::string random_hex(int digits) {
  thread_local std::mt19937_64 generator = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
  std::string out;
  out.reserve(static_cast<size_t>(digits));
  uint64_t bits = 0;
  for (int i = 0; i < digits; ++i, bits >>= 4) {
    if (i % 16 == 0) bits = generator();
    out += "0123456789abcdef"[bits & 15];
  }
  return out;
}

std::string reply_id(std::string_view prefix, std::string_view header_id, const std::optional<std::string>& body_id) {
  std::string out(prefix);
  if (!header_id.empty()) return out.append(header_id);
  return body_id ? out.append(*body_id) : out.append(random_hex(16));
}

}  // namespace ingot::api
