// The parts that all kinds of vocabularies share.
#include "ingot/checkpoint/gguf/tokenizer_json.h"

#include <string_view>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "ingot/checkpoint/gguf/tokenizer_model.h"

namespace ingot::gguf {

namespace json = boost::json;

namespace {

json::array added_tokens(const TokenList& tokens) {
  json::array added;
  for (size_t id = 0; id < tokens.texts().size(); ++id) {
    if (!tokens.is_control(id) && !tokens.is_user_defined(id)) continue;
    added.push_back(json::object{{"id", id},
                                 {"content", json::string(tokens.texts()[id])},
                                 {"single_word", false},
                                 {"lstrip", false},
                                 {"rstrip", false},
                                 {"normalized", false},
                                 {"special", tokens.is_control(id)}});
  }
  return added;
}

// TemplateProcessing that puts BOS before and EOS after each text, null where the vocabulary wants neither.
json::value post_processor(const TokenList& tokens) {
  if (!tokens.adds_bos() && !tokens.adds_eos()) return nullptr;
  json::object special;
  const auto piece = [&](std::string_view role, int type_id) {
    const int64_t id = *tokens.id(role);
    const json::string text(tokens.texts()[static_cast<size_t>(id)]);
    special[text] = json::object{{"id", text}, {"ids", json::array{id}}, {"tokens", json::array{text}}};
    return json::object{{"SpecialToken", json::object{{"id", text}, {"type_id", type_id}}}};
  };
  const auto sequence = [&](std::string_view name, int type_id) {
    json::array parts;
    if (tokens.adds_bos()) parts.push_back(piece("bos", type_id));
    parts.push_back(json::object{{"Sequence", json::object{{"id", json::string(name)}, {"type_id", type_id}}}});
    if (tokens.adds_eos()) parts.push_back(piece("eos", type_id));
    return parts;
  };
  const json::array single = sequence("A", 0);
  json::array pair = single;
  for (json::value& part : sequence("B", 1)) pair.push_back(std::move(part));
  return json::object{{"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", special}};
}

TokenizerModel model_of(std::string_view name, const Metadata& metadata, const TokenList& tokens) {
  if (name == "gpt2") return byte_level_model(metadata, tokens);
  if (name == "llama") return sentencepiece_model(metadata, tokens);
  if (name == "t5") return unigram_model(metadata, tokens);
  if (name == "bert") return word_piece_model(metadata, tokens);
  unsupported(fmt::format("has the tokenizer model {}; 'gpt2', 'llama', 't5' and 'bert' are read", quoted(name)));
}

}  // namespace

std::string tokenizer_json(const Metadata& metadata, const TokenList& tokens) {
  const auto name = metadata.text("tokenizer.ggml.model");
  if (!name) corrupt("tokenizer.ggml.model is missing");
  if (tokens.texts().empty()) corrupt("tokenizer.ggml.tokens is missing");
  const TokenizerModel model = model_of(*name, metadata, tokens);
  return with_pair({{"version", "1.0"},
                    {"truncation", nullptr},
                    {"padding", nullptr},
                    {"added_tokens", added_tokens(tokens)},
                    {"normalizer", model.normalizer},
                    {"pre_tokenizer", model.pre_tokenizer},
                    {"post_processor", post_processor(tokens)},
                    {"decoder", model.decoder}},
                   "model", model.model);
}

}  // namespace ingot::gguf
