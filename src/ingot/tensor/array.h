// The one door to MLX's array type and operations.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mlx/allocator.h>
#include <mlx/array.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

namespace ingot {

namespace mx = mlx::core;
using mx::array;

std::string describe(const array& a);  // "float32[3,576]", for messages

// Throw std::invalid_argument naming `what` unless the array has this type and shape; −1 matches any extent.
void require(const array& a, mx::Dtype dtype, std::initializer_list<int> shape, std::string_view what);

// A one-dimensional array holding a copy of host values.
array from_host(std::span<const int32_t> values);
array from_host(std::span<const uint32_t> values);
array from_host(std::span<const float> values);

// Evaluates, then returns the values of a row-contiguous array of type T. Blocks until they are there; MLX's late
// exceptions surface here.
template <class T>
std::span<const T> to_host(array& a) {
  a.eval();
  return {a.data<T>(), a.size()};
}

}  // namespace ingot
