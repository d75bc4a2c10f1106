// A model that runs in this process. The program hands the commands the way to open one, so that they need neither
// checkpoints nor kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ingot/base/result.h"
#include "ingot/config/serve_config.h"
#include "ingot/engine/engine.h"
#include "ingot/serve/service.h"

namespace ingot::cli {

struct LocalModel {
  std::shared_ptr<serve::Service> service;  // open
  std::shared_ptr<Engine> engine;           // the one behind it; stopped by whoever holds the model
};

// Blocks until the model is ready.
using OpenLocalModel = std::function<Result<LocalModel>(const ServeConfig&)>;

}  // namespace ingot::cli
