// Hugging Face's config.json → ModelConfig, with its bounds checked.
#pragma once

#include <boost/json/object.hpp>

#include "ingot/base/result.h"
#include "ingot/core/model_config.h"

namespace ingot {

// The keys that decoders share. Errors: kCorrupt, naming the key and the value.
Result<ModelConfig> read_decoder_config(const boost::json::object& config);

}  // namespace ingot
