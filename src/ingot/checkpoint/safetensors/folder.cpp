// Brings the files of a folder together behind the Checkpoint face.
#include "ingot/checkpoint/safetensors/folder.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "ingot/checkpoint/format_error.h"
#include "ingot/checkpoint/hf_folder.h"
#include "ingot/checkpoint/json_file.h"
#include "ingot/checkpoint/mapped_file.h"
#include "ingot/checkpoint/safetensors/safetensors_file.h"

namespace ingot {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr const char* kSingle = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

struct Shard {
  MappedFile mapping;
  safetensors::SafetensorsFile file;  // points into the mapping
};

Shard read_shard(const fs::path& path) {
  Shard shard{unwrap(MappedFile::open(path)), {}};
  try {
    shard.file = safetensors::parse(shard.mapping.bytes());
  } catch (const FormatError& e) {
    throw FormatError(e.code, fmt::format("{}: {}", path.string(), e.what()));
  }
  return shard;
}

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

// Tensor name → file name, as the index says.
std::map<std::string, std::string> read_index(const fs::path& path) {
  const json::object index = unwrap(read_json_file(path));
  const json::value* const map = index.if_contains("weight_map");
  if (!map || !map->is_object() || map->get_object().empty())
    corrupt(fmt::format("{}: has no weight_map of tensor names to file names", path.string()));
  std::map<std::string, std::string> files;
  for (const auto& [name, file] : map->get_object()) {
    if (!file.is_string() || !is_file_name(file.get_string()))
      corrupt(fmt::format("{}: {} lies in {}, which is not the name of a file beside it", path.string(),
                          ingot::quoted(name), ingot::quoted(json::serialize(file))));
    files.emplace(name, file.get_string());
  }
  return files;
}

[[noreturn]] void refuse_folder(const fs::path& folder) {
  std::string other;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".safetensors") || name.ends_with(".bin") || name.ends_with(".pth") || name.ends_with(".gguf"))
      other = std::max(other, name);
  }
  throw FormatError(ErrorCode::kNotFound,
                    fmt::format("{}: there is no {} and no {}{}", folder.string(), kSingle, kIndex,
                                other.empty() ? "; is this the model's folder?"
                                              : fmt::format(" (there is {}; `save_pretrained` of transformers writes "
                                                            "safetensors under these names)",
                                                            ingot::quoted(other))));
}

class SafetensorsFolder final : public Checkpoint {
 public:
  // Throws FormatError, with paths in the messages.
  SafetensorsFolder(fs::path folder, const json::object& config_changes)
      : folder_(std::move(folder)), files_(read_folder_files(folder_, config_changes)) {
    if (fs::exists(folder_ / kSingle)) {
      shards_.push_back(read_shard(folder_ / kSingle));
      take_tensors(shards_.back(), kSingle);
    } else if (fs::exists(folder_ / kIndex)) {
      read_shards(read_index(folder_ / kIndex));
    } else {
      refuse_folder(folder_);
    }
  }

  std::span<const Tensor> tensors() const override { return tensors_; }
  const Tensor* find(std::string_view name) const override {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &tensors_[found->second];
  }
  std::string_view gguf_architecture() const override { return ""; }
  const json::object& config() const override { return files_.config; }
  const json::object& generation_config() const override { return files_.generation_config; }
  const json::object& tokenizer_config() const override { return files_.tokenizer.config; }
  std::span<const NamedTemplate> chat_templates() const override { return files_.tokenizer.chat_templates; }
  Result<std::string> tokenizer_json() const override { return read_tokenizer_json(folder_); }
  void drop_pages(const Tensor& tensor) const override { MappedFile::drop_pages(tensor.data); }

 private:
  void read_shards(const std::map<std::string, std::string>& index) {
    std::set<std::string> files;
    for (const auto& [name, file] : index) files.insert(file);
    shards_.reserve(files.size());
    for (const std::string& file : files) {
      shards_.push_back(read_shard(folder_ / file));
      take_tensors(shards_.back(), file);
    }
    for (const auto& [name, file] : index) {
      const auto found = by_name_.find(name);
      if (found == by_name_.end() || file_of_[found->second] != file)
        corrupt(fmt::format("{}: says that {} lies in {}, and it is not there", (folder_ / kIndex).string(),
                            ingot::quoted(name), file));
    }
  }

  void take_tensors(const Shard& shard, const std::string& file) {
    for (const Tensor& tensor : shard.file.tensors) {
      const auto [found, is_new] = by_name_.emplace(tensor.name, tensors_.size());
      if (!is_new)
        corrupt(fmt::format("{}: tensor {} lies in {} and in {}", folder_.string(), ingot::quoted(tensor.name),
                            file_of_[found->second], file));
      tensors_.push_back(tensor);
      file_of_.push_back(file);
    }
  }

  fs::path folder_;
  FolderFiles files_;
  std::vector<Shard> shards_;
  std::vector<Tensor> tensors_;
  std::vector<std::string> file_of_;  // of each tensor
  std::unordered_map<std::string_view, size_t> by_name_;
};

}  // namespace

Result<std::unique_ptr<Checkpoint>> open_safetensors(const fs::path& folder, const json::object& config_changes) {
  try {
    return std::make_unique<SafetensorsFolder>(folder, config_changes);
  } catch (const FormatError& e) {
    return fail(e.code, e.what());
  }
}

}  // namespace ingot
