// docs/metrics.md.
#pragma once

#include <string>

namespace ingot {

// Every metric of a running server, from the tables that make them.
std::string metrics_page();

}  // namespace ingot
