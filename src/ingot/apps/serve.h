// `ingot serve`: a model behind HTTP until a signal comes.
#pragma once

#include "ingot/config/serve_config.h"

namespace ingot {

// Blocks until SIGINT or SIGTERM and returns the process's exit code. Errors are logged.
int run_serve(const ServeConfig& config);

}  // namespace ingot
