// Roles, kinds and flags of a GGUF vocabulary.
#include "ingot/checkpoint/gguf/token_list.h"

#include <algorithm>

#include <fmt/format.h>

#include "ingot/checkpoint/gguf/pre_tokenizer.h"

namespace ingot::gguf {

TokenList::TokenList(const Metadata& metadata) {
  texts_ = metadata.texts("tokenizer.ggml.tokens").value_or(std::vector<std::string_view>());
  kinds_.assign(texts_.size(), Kind::kNormal);
  read_kinds(metadata);
  read_roles(metadata);
  const auto pre = metadata.text("tokenizer.ggml.pre");
  const PreTokenizer* const row = pre ? find_pre_tokenizer(*pre) : nullptr;
  adds_bos_ = metadata.boolean("tokenizer.ggml.add_bos_token").value_or(row && row->adds_bos) && id("bos");
  adds_eos_ = metadata.boolean("tokenizer.ggml.add_eos_token").value_or(false) && id("eos");
}

void TokenList::read_kinds(const Metadata& metadata) {
  constexpr int64_t kControl = 3, kUserDefined = 4;
  const auto types = metadata.integers("tokenizer.ggml.token_type", texts_.size());
  if (!types) return;
  if (types->size() != texts_.size())
    corrupt(fmt::format("tokenizer.ggml.token_type has {} values for {} tokens", types->size(), texts_.size()));
  for (size_t id = 0; id < texts_.size(); ++id) {
    if ((*types)[id] == kControl) kinds_[id] = Kind::kControl;
    if ((*types)[id] == kUserDefined) kinds_[id] = Kind::kUserDefined;
  }
}

void TokenList::read_roles(const Metadata& metadata) {
  for (const std::string_view name : {"bos", "eos", "eot", "eom", "unknown", "padding"}) {
    const std::string key = fmt::format("tokenizer.ggml.{}_token_id", name);
    const auto id = metadata.integer(key);
    if (!id) continue;
    if (*id < 0 || *id >= static_cast<int64_t>(texts_.size()))
      corrupt(fmt::format("{} is {}, outside the {} tokens", key, *id, texts_.size()));
    roles_.push_back({name, *id});
    // Some converters mark them as normal; a role makes a token one that text alone must not be cut into.
    if (name != "unknown" && name != "padding") kinds_[static_cast<size_t>(*id)] = Kind::kControl;
  }
}

std::optional<int64_t> TokenList::id(std::string_view role) const {
  const auto found = std::ranges::find(roles_, role, &Role::name);
  return found == roles_.end() ? std::nullopt : std::optional(found->id);
}

std::optional<int64_t> TokenList::find(std::string_view text) const {
  for (size_t id = 0; id < texts_.size(); ++id)
    if (is_control(id) && texts_[id] == text) return static_cast<int64_t>(id);
  return std::nullopt;
}

}  // namespace ingot::gguf
