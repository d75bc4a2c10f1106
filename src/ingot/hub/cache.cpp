// The environment's word on the cache.
#include "ingot/hub/cache.h"

#include <cstdlib>

namespace ingot {

namespace {

std::filesystem::path variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Result<std::filesystem::path> cache_folder() {
  if (const auto own = variable("INGOT_CACHE"); !own.empty()) return own;
  if (const auto xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) return xdg / "ingot";
  if (const auto home = variable("HOME"); !home.empty()) return home / ".cache" / "ingot";
  return fail(ErrorCode::kNotFound, "the cache folder is unknown: set INGOT_CACHE, XDG_CACHE_HOME or HOME");
}

}  // namespace ingot
