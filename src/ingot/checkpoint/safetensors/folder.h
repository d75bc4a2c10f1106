// A folder as Hugging Face lays it out, as a Checkpoint: config.json, safetensors in one file or by an index,
// tokenizer.
#pragma once

#include <filesystem>
#include <memory>

#include "ingot/base/result.h"
#include "ingot/checkpoint/checkpoint.h"

namespace ingot {

// Errors: as open_checkpoint's; each message starts with the path of the file at fault. Throws filesystem_error where
// the folder cannot be listed.
Result<std::unique_ptr<Checkpoint>> open_safetensors(const std::filesystem::path& folder,
                                                     const boost::json::object& config_changes);

}  // namespace ingot
