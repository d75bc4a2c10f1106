// Tokenizer over the `tokenizers` crate's bridge.
#include "ingot/text/tokenizer.h"

#include <stdexcept>
#include <utility>

#include <rust/cxx.h>

#include "ingot/rust/tokenizer.h"

namespace ingot {

struct Tokenizer::Impl {
  rust::Box<bridge::Tokenizer> crate;
  int32_t vocab_size;
  std::vector<bool> special;  // by id
};

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::~Tokenizer() = default;

Result<std::shared_ptr<const Tokenizer>> Tokenizer::from_json(std::string_view tokenizer_json) try {
  const auto bytes = reinterpret_cast<const uint8_t*>(tokenizer_json.data());
  auto crate = bridge::tokenizer_from_json({bytes, tokenizer_json.size()});
  const int32_t vocab_size = crate->vocab_size();
  std::vector<bool> special(vocab_size);
  for (int32_t id : crate->special_ids()) special[id] = true;
  auto impl = std::make_unique<Impl>(std::move(crate), vocab_size, std::move(special));
  return std::shared_ptr<const Tokenizer>(new Tokenizer(std::move(impl)));
} catch (const rust::Error& error) {
  return fail(ErrorCode::kCorrupt, std::string("tokenizer.json: ") + error.what());
}

Result<std::vector<int32_t>> Tokenizer::encode(std::string_view text, bool add_special_tokens) const try {
  const auto ids = impl_->crate->encode({text.data(), text.size()}, add_special_tokens);
  return std::vector<int32_t>(ids.begin(), ids.end());
} catch (const std::invalid_argument&) {
  return fail(ErrorCode::kInvalidArgument, "the text is not valid UTF-8");
} catch (const rust::Error& error) {
  return fail(ErrorCode::kInvalidArgument, std::string("cannot tokenize: ") + error.what());
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool skip_special_tokens) const {
  return std::string(impl_->crate->decode({ids.data(), ids.size()}, skip_special_tokens));
}

int32_t Tokenizer::vocab_size() const { return impl_->vocab_size; }

std::optional<int32_t> Tokenizer::token_to_id(std::string_view token) const try {
  const int32_t id = impl_->crate->token_to_id({token.data(), token.size()});
  return id < 0 ? std::nullopt : std::optional(id);
} catch (const std::invalid_argument&) {
  return std::nullopt;  // not UTF-8: no such token
}

std::string Tokenizer::id_to_token(int32_t id) const { return std::string(impl_->crate->id_to_token(id)); }

bool Tokenizer::is_special(int32_t id) const { return id >= 0 && id < impl_->vocab_size && impl_->special[id]; }

}  // namespace ingot
