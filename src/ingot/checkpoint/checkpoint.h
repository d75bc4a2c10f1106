// What lies on disk: tensors by name as plain bytes, and metadata as Hugging Face-style JSON whatever the file's form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "ingot/base/result.h"
#include "ingot/checkpoint/element_type.h"
#include "ingot/checkpoint/tokenizer_files.h"
#include "ingot/core/model_source.h"

namespace ingot {

struct Tensor {
  std::string_view name;  // as the file spells it
  ElementType type;
  std::vector<int64_t> shape;       // row-major, outermost first; each ≥ 0, none for a single number
  std::span<const std::byte> data;  // exactly the bytes that type and shape call for; no alignment promised
};

// Immutable once open; every method may be called from any thread. Names and bytes live as long as the object, so drop
// it when the weights have been repacked.
class Checkpoint {
 public:
  virtual ~Checkpoint() = default;

  virtual std::span<const Tensor> tensors() const = 0;
  // nullptr when absent. Dummy checkpoints have tensors here that are not in tensors().
  virtual const Tensor* find(std::string_view name) const = 0;

  // The `general.architecture` whose tensor names and row orders the file uses; "" for Hugging Face's own.
  virtual std::string_view gguf_architecture() const = 0;

  // config.json with the caller's changes, text_config raised to the root (text_config.h). From GGUF: architectures,
  // model_type, hidden_size, intermediate_size, num_hidden_layers, num_attention_heads, num_key_value_heads, head_dim,
  // rms_norm_eps, rope_theta, max_position_embeddings, vocab_size, tie_word_embeddings, attention_bias, bos_token_id,
  // eos_token_id; where the file says so also rope_scaling, partial_rotary_factor, sliding_window and dtype.
  virtual const boost::json::object& config() const = 0;
  // generation_config.json, {} where there is none. From GGUF: bos_token_id, and eos_token_id as a list of every id
  // that ends a turn.
  virtual const boost::json::object& generation_config() const = 0;
  // tokenizer_config.json without its templates: bos_token, eos_token, unk_token, pad_token (texts, or objects with
  // "content"), add_bos_token, add_eos_token, …
  virtual const boost::json::object& tokenizer_config() const = 0;
  virtual std::span<const NamedTemplate> chat_templates() const = 0;
  // The text of tokenizer.json. Errors: kNotFound, kUnsupported or kCorrupt, naming the file or key at fault.
  virtual Result<std::string> tokenizer_json() const = 0;

  // A hint that the tensor's bytes have been used: their pages may leave memory. They stay readable.
  virtual void drop_pages(const Tensor& tensor) const = 0;

  // The text of the template named "default", "" where there is none.
  std::string_view chat_template() const { return find_template(chat_templates(), "default"); }
};

struct CheckpointOptions {
  LoadFormat format = LoadFormat::kAuto;
  boost::json::object config_changes = {};  // laid over the file's own config; nested objects key by key
  uint64_t seed = 0;                        // of dummy weights
};

// A .gguf file, a folder with exactly one of them, or a folder as Hugging Face lays it out (config.json, safetensors,
// tokenizer.json, …), whose weights may be left out for kDummy. Errors: kNotFound (the missing file and the remedy),
// kIo, kCorrupt (the file contradicts itself: what and where), kInvalidArgument (the path cannot be of that format),
// kUnsupported (an element type, architecture, byte order, split file or form that is known but not read, by name).
Result<std::unique_ptr<Checkpoint>> open_checkpoint(const std::filesystem::path& path,
                                                    const CheckpointOptions& options = {});

}  // namespace ingot
