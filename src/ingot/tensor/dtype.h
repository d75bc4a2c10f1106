// Names of element types as configs and messages write them.
#pragma once

#include <optional>
#include <string_view>

#include <mlx/dtype.h>

namespace ingot {

std::string_view dtype_name(mlx::core::Dtype dtype);  // "float32", "bfloat16", …

}  // namespace ingot
