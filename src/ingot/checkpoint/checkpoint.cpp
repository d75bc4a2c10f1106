// Picks the reader for a path.
#include "ingot/checkpoint/checkpoint.h"

#include <algorithm>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ingot/checkpoint/dummy/dummy_checkpoint.h"
#include "ingot/checkpoint/gguf/gguf_checkpoint.h"
#include "ingot/checkpoint/safetensors/folder.h"

namespace ingot {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of_kind(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

Result<fs::path> only_gguf(const fs::path& folder) {
  const std::vector<fs::path> files = files_of_kind(folder, ".gguf");
  if (files.size() == 1) return files[0];
  if (files.empty()) return fail(ErrorCode::kNotFound, fmt::format("{}: there is no .gguf file", folder.string()));
  std::vector<std::string> names;
  for (const fs::path& file : files) names.push_back(file.filename().string());
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: there are several .gguf files; name one: {}", folder.string(), fmt::join(names, ", ")));
}

Result<std::unique_ptr<Checkpoint>> open_folder(const fs::path& folder, const CheckpointOptions& options) {
  const bool gguf = options.format == LoadFormat::kGguf ||
                    (options.format == LoadFormat::kAuto && files_of_kind(folder, ".safetensors").empty() &&
                     !files_of_kind(folder, ".gguf").empty());
  if (!gguf) return open_safetensors(folder, options.config_changes);
  const auto file = only_gguf(folder);
  if (!file) return std::unexpected(file.error());
  return open_gguf(*file, options.config_changes);
}

}  // namespace

Result<std::unique_ptr<Checkpoint>> open_checkpoint(const fs::path& path, const CheckpointOptions& options) {
  try {
    if (options.format == LoadFormat::kDummy)
      return open_dummy(fs::is_directory(path) ? path : path.parent_path(), options.config_changes, options.seed);
    if (fs::is_directory(path)) return open_folder(path, options);
    if (options.format == LoadFormat::kSafetensors || path.extension() == ".safetensors")
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: safetensors are opened by their folder, which holds config.json too; name that",
                              path.string()));
    return open_gguf(path, options.config_changes);
  } catch (const fs::filesystem_error& e) {
    return fail(ErrorCode::kIo, fmt::format("{}: {}", path.string(), e.code().message()));
  }
}

}  // namespace ingot
