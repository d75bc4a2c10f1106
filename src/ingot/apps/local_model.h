// The way by which client commands open a model in this process.
#pragma once

#include "ingot/base/result.h"
#include "ingot/cli/local_model.h"
#include "ingot/config/serve_config.h"

namespace ingot {

Result<cli::LocalModel> open_local_model(const ServeConfig& config);

}  // namespace ingot
