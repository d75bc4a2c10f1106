// The shapes that a dense decoder's config gives its tensors, by Hugging Face's names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

namespace ingot::dummy {

// What the shapes are made of. Throws FormatError: kCorrupt, naming the key; kUnsupported for
// matrices past 2³⁰ elements.
struct Dimensions {
  explicit Dimensions(const boost::json::object& config);

  int64_t hidden, intermediate, layers, vocabulary, head, queries, keys;  // queries, keys: of all heads together
  bool tied;
};

// Absent for names outside the map, layers past the last, and the head of a tied model.
std::optional<std::vector<int64_t>> tensor_shape(const Dimensions& d, std::string_view name);

}  // namespace ingot::dummy
