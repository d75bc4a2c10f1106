// What each family's file gives to the registry.
#pragma once

#include <memory>

#include "ingot/core/model_config.h"
#include "ingot/models/causal_lm.h"
#include "ingot/weights/weights.h"

namespace ingot {

std::unique_ptr<CausalLm> make_llama(const ModelConfig& c, const Weights& w);

}  // namespace ingot
