// GGUF metadata in the words of Hugging Face's config.json, generation_config.json and tokenizer_config.json.
#pragma once

#include <vector>

#include <boost/json.hpp>

#include "ingot/checkpoint/gguf/gguf_file.h"
#include "ingot/checkpoint/gguf/token_list.h"
#include "ingot/checkpoint/tokenizer_files.h"

namespace ingot::gguf {

// The keys that checkpoint.h lists. Where the file has `rope_freqs.weight`, rope_scaling is
// {"rope_type": "factors", "factors": […]}: inv_freq[i] = rope_theta^(−2i / head_dim) / factors[i], the form into which
// converters bake Llama 3's scaling. Throws FormatError: a missing or contradictory key, an architecture that is not
// read (by name).
boost::json::object model_config(const GgufFile& file, const TokenList& tokens);

// eos_token_id: the file's eos, eot and eom ids, and each end-of-turn token that the chat template writes.
boost::json::object generation_config(const Metadata& metadata, const TokenList& tokens);

boost::json::object tokenizer_config(const Metadata& metadata, const TokenList& tokens);

// `tokenizer.chat_template` as "default", and those that `tokenizer.chat_templates` names.
std::vector<NamedTemplate> chat_templates(const Metadata& metadata);

}  // namespace ingot::gguf
