// config.json as families read it: the user's changes on top, nested text models brought to the root.
#pragma once

#include <boost/json.hpp>

namespace ingot {

// Lays `changes` over `config`; objects on both sides are merged key by key, null takes a key's place like any value.
void lay_over(boost::json::object& config, const boost::json::object& changes);

// Where there is a text_config, its keys over the root's, except null ones and what belongs to the whole model:
// architectures, tie_word_embeddings, quantization, quantization_config, bos_token_id and eos_token_id stay the root's
// if it has them. text_config itself stays too.
void raise_text_config(boost::json::object& config);

}  // namespace ingot
