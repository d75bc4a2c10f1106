// Configs of models whose text part is one of several.
#pragma once

#include <boost/json.hpp>

namespace ingot {

// Where there is a text_config, its keys over the root's, except null ones and what belongs to the whole model:
// architectures, tie_word_embeddings, quantization, quantization_config, bos_token_id and eos_token_id stay the root's
// if it has them. text_config itself stays too.
void raise_text_config(boost::json::object& config);

}  // namespace ingot
