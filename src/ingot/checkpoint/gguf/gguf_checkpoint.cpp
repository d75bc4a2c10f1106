// Brings mapping, structure and metadata together behind the Checkpoint face.
#include "ingot/checkpoint/gguf/gguf_checkpoint.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ingot/checkpoint/gguf/config.h"
#include "ingot/checkpoint/gguf/gguf_file.h"
#include "ingot/checkpoint/gguf/token_list.h"
#include "ingot/checkpoint/gguf/tokenizer_json.h"
#include "ingot/checkpoint/mapped_file.h"
#include "ingot/core/lay_over.h"

namespace ingot {

namespace {

class GgufCheckpoint final : public Checkpoint {
 public:
  // Throws FormatError.
  GgufCheckpoint(const std::filesystem::path& path, MappedFile mapping, const boost::json::object& config_changes)
      : path_(path),
        mapping_(std::move(mapping)),
        file_(gguf::parse(mapping_.bytes())),
        tokens_(file_.metadata),
        config_(gguf::model_config(file_, tokens_)),
        generation_config_(gguf::generation_config(file_.metadata, tokens_)),
        tokenizer_config_(gguf::tokenizer_config(file_.metadata, tokens_)),
        chat_templates_(gguf::chat_templates(file_.metadata)) {
    lay_over(config_, config_changes);
    for (const Tensor& tensor : file_.tensors) by_name_.emplace(tensor.name, &tensor);
  }

  std::span<const Tensor> tensors() const override { return file_.tensors; }
  const Tensor* find(std::string_view name) const override {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }
  std::string_view gguf_architecture() const override { return *file_.metadata.text("general.architecture"); }
  const boost::json::object& config() const override { return config_; }
  const boost::json::object& generation_config() const override { return generation_config_; }
  const boost::json::object& tokenizer_config() const override { return tokenizer_config_; }
  std::span<const NamedTemplate> chat_templates() const override { return chat_templates_; }
  Result<std::string> tokenizer_json() const override {
    try {
      return gguf::tokenizer_json(file_.metadata, tokens_);
    } catch (const FormatError& e) {
      return fail(e.code, fmt::format("{}: {}", path_.string(), e.what()));
    }
  }
  void drop_pages(const Tensor& tensor) const override { MappedFile::drop_pages(tensor.data); }

 private:
  std::filesystem::path path_;
  MappedFile mapping_;
  gguf::GgufFile file_;  // points into the mapping
  gguf::TokenList tokens_;
  boost::json::object config_, generation_config_, tokenizer_config_;
  std::vector<NamedTemplate> chat_templates_;
  std::unordered_map<std::string_view, const Tensor*> by_name_;
};

}  // namespace

Result<std::unique_ptr<Checkpoint>> open_gguf(const std::filesystem::path& path,
                                              const boost::json::object& config_changes) {
  auto mapping = MappedFile::open(path);
  if (!mapping) return std::unexpected(mapping.error());
  try {
    return std::make_unique<GgufCheckpoint>(path, std::move(*mapping), config_changes);
  } catch (const FormatError& e) {
    return fail(e.code, fmt::format("{}: {}", path.string(), e.what()));
  }
}

}  // namespace ingot
