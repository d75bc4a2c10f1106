// The program's own version, as CMakeLists.txt says it.
#pragma once

namespace ingot {

inline constexpr const char* kVersion = INGOT_VERSION;

}  // namespace ingot
