// RLIMIT_NOFILE.
#include "ingot/base/open_files.h"

#include <algorithm>

#include <limits.h>
#include <sys/resource.h>

namespace ingot {

int64_t max_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INT64_MAX;
  return static_cast<int64_t>(limit.rlim_cur);
}

int64_t raise_max_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
#ifdef __APPLE__
    limit.rlim_cur =
        std::min<rlim_t>(limit.rlim_cur, OPEN_MAX);  // the kernel refuses more, whatever the hard limit says
#endif
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  return max_open_files();
}

}  // namespace ingot
