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

api::TokenLogprob named_logprobs(const Tokenizer& tokenizer, std::span<const int32_t> context, int32_t token,
                                 const TokenLogprobs& logprobs) {
  const auto named = [&](int32_t id, float logprob) {
    return api::LogprobToken{.id = id, .text = token_text(tokenizer, context, id), .logprob = logprob};
  };
  api::TokenLogprob entry{.sampled = named(token, logprobs.logprob), .best = {}, .rank = logprobs.rank};
  entry.best.reserve(logprobs.best.size());
  for (const auto& [id, logprob] : logprobs.best) entry.best.push_back(named(id, logprob));
  return entry;
}

}  // namespace ingot::serve
