// Reads the kernel's own figures.
#include "ingot/base/system_memory.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

#if defined(__APPLE__)
#include <mach/mach.h>
#include <sys/sysctl.h>
#else
#include <unistd.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace ingot {

void release_free_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

#if defined(__APPLE__)

int64_t available_memory_bytes() {
  int64_t bytes = 0;
  size_t size = sizeof bytes;
  return sysctlbyname("hw.memsize", &bytes, &size, nullptr, 0) == 0 ? bytes : 0;
}

int64_t resident_memory_bytes() {
  mach_task_basic_info info{};
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  const auto rc = task_info(mach_task_self(), MACH_TASK_BASIC_INFO, reinterpret_cast<task_info_t>(&info), &count);
  return rc == KERN_SUCCESS ? static_cast<int64_t>(info.resident_size) : 0;
}

#else

namespace {

// A file that holds one number; absent when it does not ("max", no such file).
std::optional<int64_t> read_number(const char* path) {
  std::ifstream file(path);
  int64_t value = 0;
  if (file >> value) return value;
  return {};
}

}  // namespace

int64_t available_memory_bytes() {
  int64_t available = 0;
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key, rest; meminfo >> key; std::getline(meminfo, rest)) {
    if (key != "MemAvailable:") continue;
    meminfo >> available;
    available *= 1024;
    break;
  }
  const auto limit = read_number("/sys/fs/cgroup/memory.max");
  const auto used = read_number("/sys/fs/cgroup/memory.current");
  if (limit && used) available = std::min(available, std::max<int64_t>(0, *limit - *used));
  return available;
}

int64_t resident_memory_bytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

#endif

}  // namespace ingot
