// The JSON header of a safetensors file: {"name": {"dtype": …, "shape": […], "data_offsets": [begin, end]}, …}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ingot::safetensors {

// What the header says of a tensor; none of it is checked against the file yet.
struct Entry {
  std::string name, dtype;
  std::vector<uint64_t> shape;
  uint64_t begin = 0, end = 0;  // from the first byte after the header
};

// Entries in the header's order, names unique; "__metadata__" is checked and left out. Memory stays within a small
// multiple of the text's size. Throws FormatError (kCorrupt): JSON of any other form, with the place.
std::vector<Entry> read_header(std::string_view json);

}  // namespace ingot::safetensors
