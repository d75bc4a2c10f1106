// Model references → files.
#pragma once

#include <filesystem>
#include <string_view>

#include "ingot/base/result.h"

namespace ingot {

// The folder of fetched models: $INGOT_CACHE/models, else $XDG_CACHE_HOME/ingot/models, else ~/.cache/ingot/models.
std::filesystem::path models_folder();

// The file that `reference` means: a path that exists; "" is the default model as `make model` stores it. Errors:
// kNotFound, naming what was looked for and the remedy.
Result<std::filesystem::path> resolve_model(std::string_view reference);

}  // namespace ingot
