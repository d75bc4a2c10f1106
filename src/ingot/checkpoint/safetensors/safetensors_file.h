// The structure of one safetensors file: 8 bytes with the header's length, the JSON header, the tensors' bytes.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "ingot/checkpoint/checkpoint.h"

namespace ingot::safetensors {

struct SafetensorsFile {
  std::deque<std::string> names;  // what the tensors' names point to; a deque keeps them in place when moved
  std::vector<Tensor> tensors;    // in the order of their bytes, which fill the file without holes or overlaps
};

// Data points into `bytes`. Format: github.com/huggingface/safetensors/blob/main/README.md#format. Throws FormatError:
// kCorrupt, or kUnsupported for element types that are not known.
SafetensorsFile parse(std::span<const std::byte> bytes);

}  // namespace ingot::safetensors
