// getrusage and getrlimit everywhere, /proc where there is one.
#include "ingot/serve/process_metrics.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "ingot/base/clock.h"

namespace ingot::serve {

namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

const int64_t kStartedAt = unix_seconds();

MetricFamily family(const char* name, const char* help, MetricType type, double value) {
  prometheus::ClientMetric metric;
  (type == MetricType::Gauge ? metric.gauge.value : metric.counter.value) = value;
  return {name, help, type, {std::move(metric)}};
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

std::vector<MetricFamily> collect_process() {
  std::vector<MetricFamily> families;
  families.push_back(family("process_start_time_seconds", "Start time of the process since unix epoch in seconds.",
                            MetricType::Gauge, static_cast<double>(kStartedAt)));
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    families.push_back(family("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.",
                              MetricType::Counter, seconds(usage.ru_utime) + seconds(usage.ru_stime)));
  }
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    families.push_back(family("process_max_fds", "Maximum number of open file descriptors.", MetricType::Gauge,
                              static_cast<double>(files.rlim_cur)));
  }
  if (std::ifstream statm("/proc/self/statm"); statm) {
    double virtual_pages = 0, resident_pages = 0;
    statm >> virtual_pages >> resident_pages;
    const auto page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
    families.push_back(family("process_virtual_memory_bytes", "Virtual memory size in bytes.", MetricType::Gauge,
                              virtual_pages * page_bytes));
    families.push_back(family("process_resident_memory_bytes", "Resident memory size in bytes.", MetricType::Gauge,
                              resident_pages * page_bytes));
  }
  std::error_code ec;
  if (const std::filesystem::directory_iterator open_files("/proc/self/fd", ec); !ec) {
    families.push_back(family("process_open_fds", "Number of open file descriptors.", MetricType::Gauge,
                              static_cast<double>(std::distance(begin(open_files), end(open_files)))));
  }
  return families;
}

}  // namespace ingot::serve
