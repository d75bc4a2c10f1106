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
  const auto model = metadata.text("tokenizer.ggml.model"), pre = metadata.text("tokenizer.ggml.pre");
  const PreTokenizer* const row = pre ? find_pre_tokenizer(*pre) : nullptr;
  const bool wants_bos = model == "gpt2" ? row && row->adds_bos : model == "llama" || model == "bert";
  const bool wants_eos = model == "t5" || model == "bert";
  const std::string_view end_flag = model == "bert" ? "tokenizer.ggml.add_sep_token" : "tokenizer.ggml.add_eos_token";
  adds_bos_ = metadata.boolean("tokenizer.ggml.add_bos_token").value_or(wants_bos) && id("bos");
  adds_eos_ = metadata.boolean(end_flag).value_or(wants_eos) && id("eos");
}

void TokenList::read_kinds(const Metadata& metadata) {
  constexpr int64_t kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6;
  const auto types = metadata.integers("tokenizer.ggml.token_type", texts_.size());
  if (!types) return;
  if (types->size() != texts_.size())
    corrupt(fmt::format("tokenizer.ggml.token_type has {} values for {} tokens", types->size(), texts_.size()));
  for (size_t id = 0; id < texts_.size(); ++id) {
    const int64_t type = (*types)[id];
    if (type == kControl || type == kUnknown) kinds_[id] = Kind::kControl;
    if (type == kUserDefined) kinds_[id] = Kind::kUserDefined;
    if (type == kUnused || type == kByte) kinds_[id] = Kind::kOther;
  }
}

void TokenList::read_roles(const Metadata& metadata) {
  for (const std::string_view role : {"bos", "eos", "eot", "eom", "unknown", "padding", "mask"})
    read_role(metadata, role, role);
  if (metadata.text("tokenizer.ggml.model") != "bert") return;
  if (!id("bos")) read_role(metadata, "bos", "cls");
  if (!id("eos")) read_role(metadata, "eos", "seperator");  // as the format spells it
}

void TokenList::read_role(const Metadata& metadata, std::string_view role, std::string_view key_name) {
  const std::string key = fmt::format("tokenizer.ggml.{}_token_id", key_name);
  const auto id = metadata.integer(key);
  if (!id) return;
  if (*id < 0 || *id >= static_cast<int64_t>(texts_.size()))
    corrupt(fmt::format("{} is {}, outside the {} tokens", key, *id, texts_.size()));
  roles_.push_back({role, *id});
  // Some converters mark them as normal; a role makes a token one that text alone must not be cut into.
  if (role != "unknown" && role != "padding") kinds_[static_cast<size_t>(*id)] = Kind::kControl;
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
