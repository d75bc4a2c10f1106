// A GGUF vocabulary as the text of a Hugging Face tokenizer.json.
#pragma once

#include <string>

#include "ingot/checkpoint/gguf/metadata.h"
#include "ingot/checkpoint/gguf/token_list.h"

namespace ingot::gguf {

// `tokenizer.ggml.model`: gpt2 (byte-level BPE), llama (SentencePiece BPE), t5 (unigram) or bert (WordPiece). Control
// tokens become special added tokens, user-defined ones added tokens, so that text is never cut through them. A
// post-processor adds BOS or EOS only where the vocabulary says so. Throws FormatError: kUnsupported for another model
// or an unknown pre-tokenizer, by name; kCorrupt for missing keys, repeated tokens or a merge that is no pair.
std::string tokenizer_json(const Metadata& metadata, const TokenList& tokens);

}  // namespace ingot::gguf
