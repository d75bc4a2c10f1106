// Where Ingot keeps what it has fetched.
#pragma once

#include <filesystem>

#include "ingot/base/result.h"

namespace ingot {

// ${INGOT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ingot}, as tools/fetch_model has it; it need not exist. Errors:
// kNotFound when none of the three is set.
Result<std::filesystem::path> cache_folder();

}  // namespace ingot
