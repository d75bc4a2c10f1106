// The body of GET /v1/models: one card a served name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ingot/api/model_defaults.h"

namespace ingot::api {

// `root`: the path or reference that the model was opened from. `created`: Unix seconds, now.
std::string models_body(const ModelDefaults& model, std::string_view root, int64_t created);

}  // namespace ingot::api
