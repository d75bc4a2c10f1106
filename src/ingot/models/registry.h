// Architectures by the name that config.json gives.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "ingot/base/result.h"
#include "ingot/core/model_config.h"
#include "ingot/models/causal_lm.h"
#include "ingot/weights/weights.h"

namespace ingot {

struct Architecture {
  std::string_view name;  // "LlamaForCausalLM"
  Result<ModelConfig> (*read_config)(const boost::json::object&);
  std::unique_ptr<CausalLm> (*make)(const ModelConfig&, const Weights&);
  std::vector<std::string_view> ignored;  // tensors that such checkpoints may hold and the family does not read
};

// The architecture that `config` names. Errors: kUnsupported, listing the ones there are.
Result<const Architecture*> find_architecture(const boost::json::object& config);

}  // namespace ingot
