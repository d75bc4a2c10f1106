// The system's bound on what this process may have open at a time: files and connections together.
#pragma once

#include <cstdint>

namespace ingot {

// The soft limit in force; INT64_MAX where there is none.
int64_t max_open_files();

// Raises the soft limit to the hard one, as far as the system lets it, and returns what is then in force. Once, at
// start.
int64_t raise_max_open_files();

}  // namespace ingot
