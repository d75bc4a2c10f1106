// The MLX that runs must be the one that was compiled against: its C++ interface is not stable between versions.
#pragma once

#include "ingot/base/result.h"

namespace ingot {

// kInternal, naming both versions, when the library that was loaded is another one.
Status check_mlx_version();

}  // namespace ingot
