// mistral.cpp: Mistral and Ministral 3 are Llamas whose files leave other things unsaid.
#include "ingot/models/families.h"

namespace ingot {

Result<ModelConfig> read_mistral_config(const boost::json::object& config) {
  // A file without the key has a window of 4096; null, as from v0.2 on, is none.
  const auto window = [](ConfigReader& keys) {
    return keys.natural("sliding_window", keys.mentions("sliding_window") ? 0 : 4096);
  };
  return read_decoder_config(config, {.num_kv_heads = 8, .window = window});
}

Result<ModelConfig> read_ministral3_config(const boost::json::object& config) {
  return read_decoder_config(config, {.num_kv_heads = 8, .head_dim = 128});
}

}  // namespace ingot
