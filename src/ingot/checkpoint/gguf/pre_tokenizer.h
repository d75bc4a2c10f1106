// What the names in `tokenizer.ggml.pre` stand for: how text is cut before byte-pair merging.
#pragma once

#include <span>
#include <string_view>

#include <boost/json.hpp>

namespace ingot::gguf {

// Text is cut by each pattern in turn: matches and the gaps between them become pieces. Then every byte becomes a
// letter of the byte-level alphabet.
struct PreTokenizer {
  std::span<const std::string_view> names;
  std::span<const std::string_view> patterns;
  bool gpt2_pattern = false;   // GPT-2's own pattern comes after `patterns`
  bool nfc = false;            // text is normalised first
  bool ignore_merges = false;  // a piece that is a token as a whole needs no merges
  bool adds_bos = false;       // where the file has no tokenizer.ggml.add_bos_token
};

const PreTokenizer* find_pre_tokenizer(std::string_view name);  // nullptr for unknown names

// The "pre_tokenizer" of a tokenizer.json.
boost::json::object pre_tokenizer_json(const PreTokenizer& pre);

}  // namespace ingot::gguf
