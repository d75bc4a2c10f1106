// What each family's file gives to the registry.
#pragma once

#include <memory>

#include <boost/json/object.hpp>

#include "ingot/base/result.h"
#include "ingot/core/model_config.h"
#include "ingot/models/causal_lm.h"
#include "ingot/models/decoder_config.h"
#include "ingot/weights/weights.h"

namespace ingot {

Result<ModelConfig> read_llama_config(const boost::json::object& config);
std::unique_ptr<CausalLm> make_llama(const ModelConfig& c, const Weights& w);

Result<ModelConfig> read_mistral_config(const boost::json::object& config);  // the model itself is a Llama
Result<ModelConfig> read_ministral3_config(const boost::json::object& config);

Result<ModelConfig> read_qwen2_config(const boost::json::object& config);
std::unique_ptr<CausalLm> make_qwen2(const ModelConfig& c, const Weights& w);
DecoderFamily qwen_family();  // the rule by which Qwen's layers slide

Result<ModelConfig> read_qwen3_config(const boost::json::object& config);
std::unique_ptr<CausalLm> make_qwen3(const ModelConfig& c, const Weights& w);

Result<ModelConfig> read_smollm3_config(const boost::json::object& config);  // the model itself is a Llama

}  // namespace ingot
