// A served model without weights: a tiny byte-level tokenizer and a ChatML template, for tests over the mock engine.
#pragma once

#include "ingot/serve/model.h"

namespace ingot::testing {

// Ids of tests/fixtures/tiny_tokenizer.json. 256 byte tokens and some words follow.
inline constexpr int32_t kTinyEndOfText = 0, kTinyImStart = 1, kTinyImEnd = 2, kTinyVocabSize = 400;

// The tokenizer alone. `post_processor`: JSON put in the fixture's place; "" = none. Throws as tiny_model() does.
std::shared_ptr<const Tokenizer> tiny_tokenizer(const std::string& source_dir, const std::string& post_processor = "");

// Named "tiny", 2048 tokens, EOS <|im_end|>. `source_dir`: the repository. Throws when a fixture cannot be read.
serve::ServedModel tiny_model(const std::string& source_dir);

}  // namespace ingot::testing
