// Matrices are windows of one pool of random numbers, so that a large model costs no more than its largest matrix.
#include "ingot/checkpoint/dummy/dummy_checkpoint.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ingot/checkpoint/dummy/tensor_shape.h"
#include "ingot/checkpoint/hf_folder.h"

namespace ingot {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr size_t kOffsets = 8191;     // windows start at one of so many elements
constexpr uint16_t kOne = 0x3F80;     // 1 in bfloat16
constexpr uint16_t kExponents = 119;  // numbers lie in ±[2⁻⁸, 2⁻⁵)

// The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
uint64_t split_mix(uint64_t& state) {
  uint64_t z = state += 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

// Sign and mantissa are 8 random bits, the exponent is one of three.
uint16_t small_bfloat16(uint64_t random) {
  const uint64_t exponent = kExponents + (random >> 8 & 0xFF) % 3;
  return static_cast<uint16_t>((random & 0x80) << 8 | exponent << 7 | (random & 0x7F));
}

class DummyCheckpoint final : public Checkpoint {
 public:
  // Throws FormatError.
  DummyCheckpoint(fs::path folder, const json::object& config_changes, uint64_t seed)
      : folder_(std::move(folder)),
        files_(read_folder_files(folder_, config_changes)),
        dimensions_(files_.config),
        seed_(seed) {}

  std::span<const Tensor> tensors() const override { return {}; }
  const Tensor* find(std::string_view name) const override {
    const std::lock_guard lock(mutex_);
    if (const auto made = tensors_.find(name); made != tensors_.end()) return &made->second;
    auto shape = dummy::tensor_shape(dimensions_, name);
    if (!shape) return nullptr;
    const std::string& kept = names_.emplace_back(name);
    return &tensors_.emplace(kept, make(kept, std::move(*shape))).first->second;
  }
  std::string_view gguf_architecture() const override { return ""; }
  const json::object& config() const override { return files_.config; }
  const json::object& generation_config() const override { return files_.generation_config; }
  const json::object& tokenizer_config() const override { return files_.tokenizer.config; }
  std::span<const NamedTemplate> chat_templates() const override { return files_.tokenizer.chat_templates; }
  Result<std::string> tokenizer_json() const override { return read_tokenizer_json(folder_); }
  void drop_pages(const Tensor&) const override {}

 private:
  Tensor make(std::string_view name, std::vector<int64_t> shape) const {
    size_t count = 1;
    for (const int64_t dim : shape) count *= static_cast<size_t>(dim);
    if (shape.size() == 1) {
      const bool is_bias = name.ends_with(".bias");
      auto& values = vectors_.emplace_back(count, is_bias ? 0 : kOne);
      return {name, ElementType::kBf16, std::move(shape), std::as_bytes(std::span(values))};
    }
    uint64_t state = seed_ ^ std::hash<std::string_view>()(name);
    const size_t offset = split_mix(state) % kOffsets;
    return {name, ElementType::kBf16, std::move(shape), std::as_bytes(std::span(pool()).subspan(offset, count))};
  }

  const std::vector<uint16_t>& pool() const {
    if (!pool_.empty()) return pool_;
    const dummy::Dimensions& d = dimensions_;
    const int64_t widest = std::max({d.vocabulary, 2 * d.intermediate, d.queries + 2 * d.keys});
    pool_.resize(static_cast<size_t>(widest * std::max(d.hidden, d.queries)) + kOffsets);
    uint64_t state = seed_;
    for (uint16_t& element : pool_) element = small_bfloat16(split_mix(state));
    return pool_;
  }

  fs::path folder_;
  FolderFiles files_;
  dummy::Dimensions dimensions_;
  uint64_t seed_;
  mutable std::mutex mutex_;  // guards what find() makes
  mutable std::deque<std::string> names_;
  mutable std::map<std::string_view, Tensor> tensors_;
  mutable std::deque<std::vector<uint16_t>> vectors_;
  mutable std::vector<uint16_t> pool_;
};

}  // namespace

Result<std::unique_ptr<Checkpoint>> open_dummy(const fs::path& folder, const json::object& config_changes,
                                               uint64_t seed) {
  try {
    return std::make_unique<DummyCheckpoint>(folder, config_changes, seed);
  } catch (const FormatError& e) {
    const std::string message = e.what();
    const bool names_file = message.starts_with(folder.string());
    return fail(e.code, names_file ? message : fmt::format("{}: {}", (folder / "config.json").string(), message));
  }
}

}  // namespace ingot
