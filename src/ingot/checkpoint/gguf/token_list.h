// The vocabulary of a GGUF file: texts, kinds and the ids with a role.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ingot/checkpoint/gguf/metadata.h"

namespace ingot::gguf {

class TokenList {
 public:
  // Reads `tokenizer.ggml.*`; a file without tokens gives an empty list. Throws FormatError: a list of another length
  // or type, an id outside the vocabulary.
  explicit TokenList(const Metadata& metadata);

  std::span<const std::string_view> texts() const { return texts_; }
  bool is_normal(size_t id) const { return kinds_[id] == Kind::kNormal; }
  bool is_control(size_t id) const { return kinds_[id] == Kind::kControl; }
  bool is_user_defined(size_t id) const { return kinds_[id] == Kind::kUserDefined; }

  std::optional<int64_t> id(std::string_view role) const;    // "bos", "eos", "eot", "eom", "unknown", "padding", "mask"
  std::optional<int64_t> find(std::string_view text) const;  // of a control token
  // The file's flag, else what llama.cpp assumes of the model and its pre-tokenizer; false where there is no such id.
  // For BERT's kind, bos and eos are what stands before and after a text: [CLS] and [SEP].
  bool adds_bos() const { return adds_bos_; }
  bool adds_eos() const { return adds_eos_; }

 private:
  enum class Kind : uint8_t { kNormal, kControl, kUserDefined, kOther };
  void read_kinds(const Metadata& metadata);
  void read_roles(const Metadata& metadata);
  void read_role(const Metadata& metadata, std::string_view role, std::string_view key_name);

  struct Role {
    std::string_view name;
    int64_t id;
  };
  std::vector<std::string_view> texts_;
  std::vector<Kind> kinds_;
  std::vector<Role> roles_;
  bool adds_bos_ = false, adds_eos_ = false;
};

}  // namespace ingot::gguf
