// Writes GGUF files for tests, well-formed or wrong on purpose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingot/checkpoint/gguf/metadata.h"

namespace ingot::testing {

class GgufBuilder {
 public:
  using Type = gguf::ValueType;

  uint32_t version = 3;
  uint64_t alignment = 32;  // of what is laid out; the metadata key is the test's affair

  GgufBuilder& add(std::string_view key, uint32_t value) { return pair(key, Type::kU32), number(keys_, value), *this; }
  GgufBuilder& add(std::string_view key, int32_t value) { return pair(key, Type::kI32), number(keys_, value), *this; }
  GgufBuilder& add(std::string_view key, float value) { return pair(key, Type::kF32), number(keys_, value), *this; }
  GgufBuilder& add(std::string_view key, bool value) {
    return pair(key, Type::kBool), number(keys_, uint8_t(value)), *this;
  }
  GgufBuilder& add(std::string_view key, const char* value) {
    return pair(key, Type::kString), text(keys_, value), *this;
  }
  GgufBuilder& add(std::string_view key, const std::vector<std::string>& values) {
    array(key, Type::kString, values.size());
    for (const std::string& value : values) text(keys_, value);
    return *this;
  }
  GgufBuilder& add(std::string_view key, const std::vector<int32_t>& values) {
    array(key, Type::kI32, values.size());
    for (const int32_t value : values) number(keys_, value);
    return *this;
  }
  GgufBuilder& add(std::string_view key, const std::vector<float>& values) {
    array(key, Type::kF32, values.size());
    for (const float value : values) number(keys_, value);
    return *this;
  }

  // `dims`: innermost first, as the format has them. The data is placed after what is there, aligned.
  GgufBuilder& tensor(std::string_view name, uint32_t type, std::vector<uint64_t> dims,
                      std::span<const std::byte> data) {
    claim(name, type, dims, data_.size());
    data_.insert(data_.end(), data.begin(), data.end());
    data_.resize((data_.size() + alignment - 1) / alignment * alignment);
    return *this;
  }
  GgufBuilder& tensor(std::string_view name, std::vector<uint64_t> dims, const std::vector<float>& values) {
    return tensor(name, 0, std::move(dims), std::as_bytes(std::span(values)));
  }
  // A table entry alone.
  GgufBuilder& claim(std::string_view name, uint32_t type, const std::vector<uint64_t>& dims, uint64_t offset) {
    text(table_, name);
    number(table_, static_cast<uint32_t>(dims.size()));
    for (const uint64_t dim : dims) number(table_, dim);
    number(table_, type);
    number(table_, offset);
    ++num_tensors_;
    return *this;
  }

  std::vector<std::byte> build() const {
    std::vector<std::byte> out;
    for (const char c : std::string_view("GGUF")) out.push_back(std::byte(c));
    number(out, version);
    number(out, num_tensors_);
    number(out, num_keys_);
    out.insert(out.end(), keys_.begin(), keys_.end());
    out.insert(out.end(), table_.begin(), table_.end());
    out.resize((out.size() + alignment - 1) / alignment * alignment);
    out.insert(out.end(), data_.begin(), data_.end());
    return out;
  }
  size_t header_bytes() const { return 24 + keys_.size() + table_.size(); }

 private:
  template <class T>
  static void number(std::vector<std::byte>& out, T value) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof(T));
  }
  static void text(std::vector<std::byte>& out, std::string_view value) {
    number(out, static_cast<uint64_t>(value.size()));
    for (const char c : value) out.push_back(std::byte(c));
  }
  void pair(std::string_view key, Type type) {
    text(keys_, key);
    number(keys_, static_cast<uint32_t>(type));
    ++num_keys_;
  }
  void array(std::string_view key, Type element, uint64_t count) {
    pair(key, Type::kArray);
    number(keys_, static_cast<uint32_t>(element));
    number(keys_, count);
  }

  std::vector<std::byte> keys_, table_, data_;
  uint64_t num_keys_ = 0, num_tensors_ = 0;
};

// A file in the test's temporary folder, gone with the object.
class TempFile {
 public:
  TempFile(const std::filesystem::path& path, std::span<const std::byte> bytes) : path_(path) {
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  ~TempFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Metadata of a Llama of 1 layer, 2 query heads and 1 key head of 4, hidden 8; its tokenizer has 8 tokens, 2 control.
inline GgufBuilder tiny_llama_metadata() {
  GgufBuilder file;
  file.add("general.architecture", "llama")
      .add("llama.block_count", 1u)
      .add("llama.context_length", 64u)
      .add("llama.embedding_length", 8u)
      .add("llama.feed_forward_length", 16u)
      .add("llama.attention.head_count", 2u)
      .add("llama.attention.head_count_kv", 1u)
      .add("llama.attention.layer_norm_rms_epsilon", 1e-5f)
      .add("llama.rope.freq_base", 10000.0f)
      .add("tokenizer.ggml.model", "gpt2")
      .add("tokenizer.ggml.pre", "smollm")
      .add("tokenizer.ggml.tokens", std::vector<std::string>{"<s>", "<|im_end|>", "a", "b", "ab", "Ġ", "<u>", "1"})
      .add("tokenizer.ggml.token_type", std::vector<int32_t>{3, 3, 1, 1, 1, 1, 4, 1})
      .add("tokenizer.ggml.merges", std::vector<std::string>{"a b"})
      .add("tokenizer.ggml.bos_token_id", 0u)
      .add("tokenizer.ggml.eos_token_id", 0u)
      .add("tokenizer.chat_template", "{{ messages[0].content }}<|im_end|>");
  return file;
}

inline GgufBuilder tiny_llama() {
  GgufBuilder file = tiny_llama_metadata();
  file.tensor("token_embd.weight", {8, 8}, std::vector<float>(64, 1.0f))
      .tensor("output_norm.weight", {8}, std::vector<float>(8, 2.0f));
  return file;
}

}  // namespace ingot::testing
