// The process_* metrics that Prometheus clients export: CPU, memory, files, start time.
#pragma once

#include <vector>

#include <prometheus/metric_family.h>

namespace ingot::serve {

// Read now. What the system does not tell is left out. Any thread.
std::vector<prometheus::MetricFamily> collect_process();

}  // namespace ingot::serve
