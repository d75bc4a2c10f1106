// Text ↔ token ids: the C++ face of the `tokenizers` crate.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingot/base/result.h"

namespace ingot {

// Immutable after construction; every method may be called from any thread at once.
class Tokenizer {
 public:
  // From the text of a Hugging Face tokenizer.json. Errors: kCorrupt, with what the crate says.
  static Result<std::shared_ptr<const Tokenizer>> from_json(std::string_view tokenizer_json);
  ~Tokenizer();
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  // `text` is valid UTF-8. Special tokens written in the text become their one id.
  // add_special_tokens: also what the post-processor adds (BOS, EOS).
  Result<std::vector<int32_t>> encode(std::string_view text, bool add_special_tokens) const;

  // Unknown ids give nothing. Incomplete UTF-8 gives U+FFFD.
  std::string decode(std::span<const int32_t> ids, bool skip_special_tokens) const;

  // Number of ids, added tokens included: 1 + the largest id.
  int32_t vocab_size() const;
  std::optional<int32_t> token_to_id(std::string_view token) const;
  std::string id_to_token(int32_t id) const;  // the piece as stored ("Ġthe"); "" for unknown ids
  bool is_special(int32_t id) const;

 private:
  struct Impl;
  explicit Tokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingot
