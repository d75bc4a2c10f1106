// The structure of a GGUF file, versions 2 and 3: header, metadata, tensor table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ingot/checkpoint/checkpoint.h"
#include "ingot/checkpoint/gguf/metadata.h"

namespace ingot::gguf {

struct GgufFile {
  uint32_t version = 0;
  Metadata metadata;
  std::vector<Tensor> tensors;  // in the table's order; names unique, bytes inside the file and disjoint
};

// Everything in the result points into `bytes`. Format: github.com/ggml-org/ggml/blob/master/docs/gguf.md.
// Throws FormatError: kCorrupt, or kUnsupported for other versions, big-endian files, split files and element types
// that are not known.
GgufFile parse(std::span<const std::byte> bytes);

}  // namespace ingot::gguf
