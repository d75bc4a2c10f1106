// Hugging Face's config.json → ModelConfig, with its bounds checked.
#pragma once

#include <boost/json/object.hpp>

#include "ingot/base/result.h"
#include "ingot/core/model_config.h"
#include "ingot/models/config_reader.h"

namespace ingot {

// What a family's configuration class in transformers says where config.json is silent.
struct DecoderFamily {
  double rope_theta = 1e4;
  bool tie_word_embeddings = false;
  int num_kv_heads = 0;  // 0: as many as query heads
  int head_dim = 0;      // 0: hidden_size / num_attention_heads

  // The window of layers that slide; 0: none does.
  int (*window)(ConfigReader&) = [](ConfigReader& keys) { return keys.natural("sliding_window", 0); };
  // Which layers slide, where layer_types does not say.
  bool (*slides)(ConfigReader&, int layer) = [](ConfigReader&, int) { return true; };
};

// The keys that decoders share. Errors name the key and the value: kCorrupt for what cannot be, kUnsupported for what
// changes numbers and no family reads.
Result<ModelConfig> read_decoder_config(const boost::json::object& config, const DecoderFamily& family = {});

}  // namespace ingot
