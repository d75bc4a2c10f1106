// Model references → paths.
#pragma once

#include <filesystem>
#include <string_view>

#include "ingot/base/result.h"

namespace ingot {

inline constexpr std::string_view kDefaultModel = "SmolLM2-135M-Instruct";
inline constexpr std::string_view kDefaultModelFile = "SmolLM2-135M-Instruct.Q4_1.gguf";

// An existing file or folder is itself; "", the default model's name and its file's name are the copy in the cache that
// `make model` leaves. Errors: kNotFound, with what was looked for and the remedy.
Result<std::filesystem::path> resolve_model(std::string_view reference);

}  // namespace ingot
