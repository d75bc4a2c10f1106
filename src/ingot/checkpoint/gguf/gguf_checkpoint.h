// A GGUF file as a Checkpoint.
#pragma once

#include <filesystem>
#include <memory>

#include "ingot/base/result.h"
#include "ingot/checkpoint/checkpoint.h"

namespace ingot {

// Errors: as open_checkpoint's; each message starts with the path.
Result<std::unique_ptr<Checkpoint>> open_gguf(const std::filesystem::path& path,
                                              const boost::json::object& config_changes);

}  // namespace ingot
