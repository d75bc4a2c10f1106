// Detokenizer: decodes a sliding window of ids and hands out what of its text is new and certain.
#include "ingot/text/detokenizer.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace ingot {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// The bytes that later ids might mend. An unfinished character has at most 3, and a byte-fallback decoder shows a
// U+FFFD for each; it does so for the 3 bytes of a real U+FFFD in front of them too.
constexpr size_t kMaxPending = 6;

// Broken bytes can keep the text's end uncertain for ever: past this many pending ids the window looks for a place to
// be cut, past the second number it takes any.
constexpr size_t kLongWindow = 16, kLongestWindow = 64;

// The length of `text` without the replacement characters at its end that later ids might mend.
size_t certain_length(std::string_view text) {
  for (size_t i = 0; i < kMaxPending && text.ends_with(kReplacement); ++i) text.remove_suffix(kReplacement.size());
  return text.size();
}

}  // namespace

Detokenizer::Detokenizer(std::shared_ptr<const Tokenizer> tokenizer, std::vector<int32_t> prompt_tail,
                         bool skip_special_tokens)
    : tokenizer_(std::move(tokenizer)), ids_(std::move(prompt_tail)), skip_special_tokens_(skip_special_tokens) {
  std::string text = decode(0, ids_.size());
  // A tail that begins inside a character would spoil a byte-fallback run that reaches into the output.
  while (!ids_.empty() && text.starts_with(kReplacement)) {
    ids_.erase(ids_.begin());
    text = decode(0, ids_.size());
  }
  num_context_ = ids_.size();
  given_ = text.substr(0, certain_length(text));
}

std::string Detokenizer::push(int32_t id) {
  // Decoding skips both before pieces are joined.
  if ((skip_special_tokens_ && tokenizer_->is_special(id)) || tokenizer_->id_to_token(id).empty()) return {};
  ids_.push_back(id);
  std::string text = decode(0, ids_.size());
  std::string fresh;
  if (!text.starts_with(given_)) {  // a bad byte broke a run that is out already: go on from this id
    fresh = flush();
    ids_ = {id};
    num_context_ = 0;
    given_.clear();
    text = decode(0, 1);
  }
  fresh += take(text, certain_length(text));

  const size_t num_pending = ids_.size() - num_context_;
  if (held_.empty() && !fresh.empty()) {
    slide(std::move(text));
  } else if (num_pending > kLongWindow) {
    fresh += shorten(text);
  }
  return fresh;
}

std::string Detokenizer::flush() {
  given_ += held_;
  return std::exchange(held_, {});
}

std::string Detokenizer::decode(size_t begin, size_t end) const {
  return tokenizer_->decode(std::span(ids_).subspan(begin, end - begin), skip_special_tokens_);
}

// Gives out the first `certain` bytes of the window's `text`, less what is out already; the rest is held.
std::string Detokenizer::take(const std::string& text, size_t certain) {
  certain = std::max(certain, given_.size());
  std::string fresh = text.substr(given_.size(), certain - given_.size());
  given_ = text.substr(0, certain);
  held_ = text.substr(certain);
  return fresh;
}

// All of the window's `text` is out: what was pending becomes the context. Where that alone has no text, as with a
// blank that a decoder strips from the start, the old context stays in front, so that the next piece joins as in the
// whole.
void Detokenizer::slide(std::string text) {
  std::string shorter = decode(num_context_, ids_.size());
  if (!shorter.empty() || ids_.size() > kLongWindow) {
    ids_.erase(ids_.begin(), ids_.begin() + static_cast<ptrdiff_t>(num_context_));
    text = std::move(shorter);
  }
  num_context_ = ids_.size();
  given_ = std::move(text);
}

// Drops all but the newest ids of a long window, where its text falls into two parts, so that no character spans the
// cut.
std::string Detokenizer::shorten(const std::string& text) {
  const size_t cut = ids_.size() - (kMaxPending + 1);
  const std::string head = decode(0, cut), tail = decode(cut, ids_.size());
  const bool clean = head + tail == text;
  if (!clean && ids_.size() - num_context_ <= kLongestWindow) return {};

  std::string fresh;
  ids_.erase(ids_.begin(), ids_.begin() + static_cast<ptrdiff_t>(cut));
  if (clean) {  // the head is certain: no unfinished character is as long as what stays
    if (head.size() > given_.size()) fresh = take(text, head.size());
    num_context_ = 0;
    given_.erase(0, head.size());
    held_ = tail.substr(given_.size());
  } else {
    fresh = flush();
    num_context_ = ids_.size();
    given_ = tail;
  }
  return fresh;
}

}  // namespace ingot
