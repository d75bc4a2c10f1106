// Writes safetensors files and model folders for tests, well-formed or wrong on purpose.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <unistd.h>

namespace ingot::testing {

// A file of an 8-byte length, a header and data, whatever they are.
inline std::vector<std::byte> safetensors_bytes(std::string_view header, std::span<const std::byte> data,
                                                uint64_t claimed_length) {
  std::vector<std::byte> out(sizeof(claimed_length) + header.size() + data.size());
  std::memcpy(out.data(), &claimed_length, sizeof(claimed_length));
  std::ranges::copy(std::as_bytes(std::span(header)), out.begin() + sizeof(claimed_length));
  std::ranges::copy(data, out.end() - std::ssize(data));
  return out;
}
inline std::vector<std::byte> safetensors_bytes(std::string_view header, std::span<const std::byte> data = {}) {
  return safetensors_bytes(header, data, header.size());
}

class SafetensorsBuilder {
 public:
  SafetensorsBuilder& tensor(std::string_view name, std::string_view dtype, const std::vector<int64_t>& shape,
                             std::span<const std::byte> data) {
    header_[name] = {{"dtype", dtype},
                     {"shape", boost::json::value_from(shape)},
                     {"data_offsets", {data_.size(), data_.size() + data.size()}}};
    data_.insert(data_.end(), data.begin(), data.end());
    return *this;
  }
  SafetensorsBuilder& tensor(std::string_view name, const std::vector<int64_t>& shape,
                             const std::vector<float>& values) {
    return tensor(name, "F32", shape, std::as_bytes(std::span(values)));
  }

  boost::json::object& header() { return header_; }
  std::vector<std::byte> build() const { return safetensors_bytes(boost::json::serialize(header_), data_); }

 private:
  boost::json::object header_;
  std::vector<std::byte> data_;
};

// A folder of the process's own in the test's temporary folder, gone with the object.
class TempFolder {
 public:
  explicit TempFolder(const std::filesystem::path& path) : path_(path.string() + "_" + std::to_string(::getpid())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() { std::filesystem::remove_all(path_); }

  const TempFolder& write(const std::string& name, std::span<const std::byte> bytes) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    return *this;
  }
  const TempFolder& write(const std::string& name, std::string_view text) const {
    return write(name, std::as_bytes(std::span(text)));
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline constexpr std::string_view kTinyConfig = R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
  "vocab_size": 8, "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
  "num_key_value_heads": 1, "head_dim": 4, "rms_norm_eps": 1e-5, "rope_theta": 10000, "max_position_embeddings": 64,
  "tie_word_embeddings": true, "bos_token_id": 0, "eos_token_id": 0, "dtype": "float32"})";

inline SafetensorsBuilder tiny_safetensors() {
  SafetensorsBuilder file;
  file.tensor("model.embed_tokens.weight", {8, 8}, std::vector<float>(64, 1.0f))
      .tensor("model.norm.weight", {8}, std::vector<float>(8, 2.0f));
  return file;
}

}  // namespace ingot::testing
