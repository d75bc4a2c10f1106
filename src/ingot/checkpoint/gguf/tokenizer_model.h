// What a kind of GGUF vocabulary puts into a tokenizer.json, one function a kind.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "ingot/checkpoint/gguf/metadata.h"
#include "ingot/checkpoint/gguf/token_list.h"

namespace ingot::gguf {

struct TokenizerModel {
  boost::json::value normalizer, pre_tokenizer, decoder;  // null: none
  std::string model;                                      // the text of "model"
};

// All throw FormatError: kCorrupt for missing or wrong keys and repeated tokens, kUnsupported for what is not read.
TokenizerModel byte_level_model(const Metadata& metadata, const TokenList& tokens);     // "gpt2"
TokenizerModel sentencepiece_model(const Metadata& metadata, const TokenList& tokens);  // "llama": pairs by score
TokenizerModel unigram_model(const Metadata& metadata, const TokenList& tokens);        // "t5"
TokenizerModel word_piece_model(const Metadata& metadata, const TokenList& tokens);     // "bert"

// Vocabularies are written straight to text: they are the bulk, and a DOM of them would cost more than all else.
void append_quoted(std::string& out, std::string_view text);

// {"token": id, …}. Throws kCorrupt where a token appears twice.
void append_vocabulary(std::string& out, std::span<const std::string_view> texts);

// The object's text with one more pair, whose value is text already.
std::string with_pair(const boost::json::object& object, std::string_view key, std::string_view value);

}  // namespace ingot::gguf
