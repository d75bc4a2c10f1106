// Local paths first, then the one known name.
#include "ingot/hub/resolve.h"

#include <system_error>

#include <fmt/format.h>

#include "ingot/hub/cache.h"

namespace ingot {

Result<std::filesystem::path> resolve_model(std::string_view reference) {
  std::error_code ignored;
  if (!reference.empty() && std::filesystem::exists(reference, ignored)) return reference;
  if (!reference.empty() && reference != kDefaultModel && reference != kDefaultModelFile)
    return fail(ErrorCode::kNotFound,
                fmt::format("model '{}': there is no such file or folder, and models are not fetched from hubs yet; "
                            "give the path of a .gguf file, or no model for {}",
                            reference, kDefaultModel),
                "model");
  const auto cache = cache_folder();
  if (!cache) return cache;
  const std::filesystem::path path = *cache / "models" / kDefaultModelFile;
  if (std::filesystem::exists(path, ignored)) return path;
  return fail(
      ErrorCode::kNotFound,
      fmt::format("the default model {} is not at {}; fetch it with `make model`", kDefaultModel, path.string()),
      "model");
}

}  // namespace ingot
