// WordPiece: BERT's kind. GGUF files mark the pieces that begin a word with U+2581, where Hugging Face marks the others
// with
// "##"; what stands in square brackets is neither.
#include <fmt/format.h>

#include "ingot/checkpoint/gguf/tokenizer_model.h"

namespace ingot::gguf {

namespace json = boost::json;

namespace {

constexpr std::string_view kWordStart = "\xE2\x96\x81";  // U+2581

std::string piece_of(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) return std::string(text);
  if (text.starts_with(kWordStart)) return std::string(text.substr(kWordStart.size()));
  return "##" + std::string(text);
}

}  // namespace

TokenizerModel word_piece_model(const Metadata& metadata, const TokenList& tokens) {
  const auto unknown = tokens.id("unknown");
  if (!unknown) corrupt("tokenizer.ggml.unknown_token_id is missing");
  std::vector<std::string> pieces;
  pieces.reserve(tokens.texts().size());
  for (size_t id = 0; id < tokens.texts().size(); ++id)
    pieces.push_back(tokens.is_normal(id) ? piece_of(tokens.texts()[id]) : std::string(tokens.texts()[id]));
  const std::vector<std::string_view> texts(pieces.begin(), pieces.end());
  std::string vocabulary;
  append_vocabulary(vocabulary, texts);

  const bool lowercase = metadata.boolean("tokenizer.ggml.normalizer.lowercase").value_or(true);
  const bool strips_accents = metadata.boolean("tokenizer.ggml.normalizer.strip_accents").value_or(lowercase);
  const json::object word_piece{{"type", "WordPiece"},
                                {"unk_token", json::string(pieces[static_cast<size_t>(*unknown)])},
                                {"continuing_subword_prefix", "##"},
                                {"max_input_chars_per_word", 100}};
  return {.normalizer = json::object{{"type", "BertNormalizer"},
                                     {"clean_text", true},
                                     {"handle_chinese_chars", true},
                                     {"strip_accents", strips_accents},
                                     {"lowercase", lowercase}},
          .pre_tokenizer = json::object{{"type", "BertPreTokenizer"}},
          .decoder = json::object{{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}},
          .model = with_pair(word_piece, "vocab", vocabulary)};
}

}  // namespace ingot::gguf
