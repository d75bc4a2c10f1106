// What an opened model and the flags say to the rooms that answer for it.
#pragma once

#include "ingot/config/serve_config.h"
#include "ingot/host/open_model.h"
#include "ingot/serve/model.h"

namespace ingot {

OpenOptions open_options(const ServeConfig& config);

serve::ServedModel make_served_model(const OpenedModel& opened, const ServeConfig& config);

}  // namespace ingot
