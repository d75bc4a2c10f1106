// Local references only: hubs come later.
#include "ingot/hub/resolve.h"

#include <cstdlib>

#include <fmt/format.h>

namespace ingot {
namespace {

constexpr const char* kDefaultModel = "SmolLM2-135M-Instruct.Q4_1.gguf";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::filesystem::path models_folder() {
  if (const std::string cache = environment("INGOT_CACHE"); !cache.empty())
    return std::filesystem::path(cache) / "models";
  const std::string xdg = environment("XDG_CACHE_HOME");
  const std::filesystem::path cache =
      xdg.empty() ? std::filesystem::path(environment("HOME")) / ".cache" : std::filesystem::path(xdg);
  return cache / "ingot" / "models";
}

Result<std::filesystem::path> resolve_model(std::string_view reference) {
  if (reference.empty()) {
    const std::filesystem::path path = models_folder() / kDefaultModel;
    if (std::filesystem::exists(path)) return path;
    return fail(ErrorCode::kNotFound,
                fmt::format("the default model is not at {}: run `make model`, or name a .gguf file", path.string()),
                "model");
  }
  std::filesystem::path path(reference);
  std::error_code error;
  if (std::filesystem::exists(path, error)) return path;
  return fail(
      ErrorCode::kNotFound,
      fmt::format("no model file {}: name a .gguf file that exists (downloads by name are not built yet)", reference),
      "model");
}

}  // namespace ingot
