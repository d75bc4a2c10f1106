// A checkpoint without weights: config.json, the tokenizer's files where there are any, and tensors made on demand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "ingot/base/result.h"
#include "ingot/checkpoint/checkpoint.h"

namespace ingot {

// tensors() is empty, and find() makes what it is asked for: bfloat16 matrices of small random numbers, the same for
// the same seed and name, scales of one and biases of zero. It gives nothing for names of tensors whose shape the
// config does not tell. Errors: as open_checkpoint's.
Result<std::unique_ptr<Checkpoint>> open_dummy(const std::filesystem::path& folder,
                                               const boost::json::object& config_changes, uint64_t seed);

}  // namespace ingot
