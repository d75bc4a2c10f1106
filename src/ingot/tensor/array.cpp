// Shape checks and host copies around mx::array.
#include "ingot/tensor/array.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ingot/tensor/dtype.h"

namespace ingot {

std::string describe(const array& a) {
  return fmt::format("{}{}", dtype_name(a.dtype()), std::vector<int>(a.shape().begin(), a.shape().end()));
}

void require(const array& a, mx::Dtype dtype, std::initializer_list<int> shape, std::string_view what) {
  const bool same_shape =
      std::ranges::equal(a.shape(), shape, [](int have, int want) { return want == -1 || have == want; });
  if (a.dtype() == dtype && same_shape) return;
  throw std::invalid_argument(
      fmt::format("{}: is {}, must be {}{}", what, describe(a), dtype_name(dtype), std::vector<int>(shape)));
}

namespace {

template <class T>
array copy_in(std::span<const T> values) {
  return array(values.data(), mx::Shape{static_cast<int>(values.size())});
}

}  // namespace

array from_host(std::span<const int32_t> values) { return copy_in(values); }
array from_host(std::span<const uint32_t> values) { return copy_in(values); }
array from_host(std::span<const float> values) { return copy_in(values); }

}  // namespace ingot
