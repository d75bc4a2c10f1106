// Mends broken pieces with their context, as vLLM's logprobs do.
#include "ingot/serve/token_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace ingot::serve {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr size_t kMaxContext = 4;

bool is_broken(std::string_view text) { return text.ends_with(kReplacement); }

}  // namespace

std::string token_text(const Tokenizer& tokenizer, std::span<const int32_t> context, int32_t token) {
  std::string alone = tokenizer.decode(std::span(&token, 1), false);
  if (!is_broken(alone)) return alone;
  std::vector<int32_t> ids;
  for (size_t num_before = 1; num_before <= std::min(kMaxContext, context.size()); ++num_before) {
    const auto before = context.last(num_before);
    ids.assign(before.begin(), before.end());
    ids.push_back(token);
    std::string together = tokenizer.decode(ids, false);
    if (is_broken(together)) continue;
    // What the whole tokens before the broken run say does not belong to this token.
    size_t num_whole = num_before;
    while (num_whole > 0 && is_broken(tokenizer.decode(before.subspan(num_whole - 1, 1), false))) --num_whole;
    const std::string whole = tokenizer.decode(before.first(num_whole), false);
    return together.starts_with(whole) ? together.substr(whole.size()) : "";
  }
  return "";
}

}  // namespace ingot::serve
