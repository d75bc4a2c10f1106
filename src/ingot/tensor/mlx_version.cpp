// Compares the loaded library with the pinned version.
#include "ingot/tensor/mlx_version.h"

#include <string_view>

#include <fmt/format.h>
#include <mlx/version.h>

namespace ingot {

Status check_mlx_version() {
  const std::string_view loaded = mlx::core::version();
  if (loaded == INGOT_MLX_VERSION) return {};
  return fail(
      ErrorCode::kInternal,
      fmt::format("Ingot was built for MLX {} but runs with {}: rebuild, or set the library path to the pinned one",
                  INGOT_MLX_VERSION, loaded));
}

}  // namespace ingot
