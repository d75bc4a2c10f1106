// GGUF vocabularies of every kind, converted and loaded, against llama.cpp's encodings.
#include <cstdlib>

#include <gtest/gtest.h>

#include "ingot/checkpoint/gguf/byte_reader.h"
#include "ingot/checkpoint/gguf/gguf_file.h"
#include "ingot/checkpoint/gguf/metadata.h"
#include "ingot/checkpoint/gguf/tokenizer_json.h"
#include "ingot/checkpoint/testing/gguf_builder.h"
#include "ingot/text/detokenizer.h"
#include "ingot/text/golden.h"

namespace ingot {
namespace {

using Ids = std::vector<int32_t>;

std::shared_ptr<const Tokenizer> tokenizer_of(const std::string& path) {
  const std::string bytes = golden::read(path);
  gguf::ByteReader reader(std::as_bytes(std::span(bytes)));
  reader.take(16, "magic, version and number of tensors");  // their types do not matter here
  const auto num_pairs = reader.number<uint64_t>("number of pairs");
  const auto metadata = gguf::Metadata::read(reader, num_pairs);
  return Tokenizer::from_json(gguf::tokenizer_json(metadata, gguf::TokenList(metadata))).value();
}

void expect_as_llama_cpp(const Tokenizer& tokenizer, const boost::json::array& cases) {
  for (const auto& one : cases) {
    const auto& text = one.at("text").as_string();
    EXPECT_EQ(tokenizer.encode(text, false).value(), boost::json::value_to<Ids>(one.at("ids"))) << text;
    EXPECT_EQ(tokenizer.encode(text, true).value(), boost::json::value_to<Ids>(one.at("with_special"))) << text;
  }
}

class GgufVocabulary : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, GgufVocabulary, ::testing::Values("spm", "spm_plain", "unigram", "word_piece"));

TEST_P(GgufVocabulary, EncodesAsLlamaCpp) {
  const auto cases = golden::cases("golden/gguf/" + GetParam() + ".json");
  ASSERT_GT(cases.size(), 40u);
  expect_as_llama_cpp(*tokenizer_of("golden/gguf/" + GetParam() + ".gguf"), cases);
}

// Text comes back as it went in where the vocabulary keeps all of it, in pieces too.
TEST(GgufVocabulary, DecodesToTheText) {
  for (const std::string name : {"spm", "spm_plain"}) {
    const auto tokenizer = tokenizer_of("golden/gguf/" + name + ".gguf");
    for (const std::string text : {"The model reads tokens", " a blank in front", "日本 😀 café\n", "x  y   z"}) {
      const Ids ids = tokenizer->encode(text, false).value();
      EXPECT_EQ(tokenizer->decode(ids, false), text) << name;
      Detokenizer detokenizer(tokenizer, {}, false);
      std::string joined;
      for (const int32_t id : ids) joined += detokenizer.push(id);
      EXPECT_EQ(joined + detokenizer.flush(), text) << name;
    }
  }
}

// The patterns of every name compile, and what they cut comes together again.
TEST(GgufVocabulary, PreTokenizersKeepTheText) {
  const auto model = boost::json::parse(golden::read("fixtures/tokenizers/byte_level.json")).at("model");
  std::vector<std::string> tokens(model.at("vocab").as_object().size());
  for (const auto& [token, id] : model.at("vocab").as_object()) tokens[id.to_number<size_t>()] = std::string(token);
  for (const char* name :
       {"gpt-2", "smollm", "llama-bpe", "smaug-bpe", "tekken", "qwen2", "stablelm2", "qwen35", "deepseek-llm",
        "deepseek-coder", "deepseek-v3", "gpt-4o", "seed-coder", "bailingmoe", "default"}) {
    testing::GgufBuilder file;
    file.add("tokenizer.ggml.model", "gpt2").add("tokenizer.ggml.pre", name).add("tokenizer.ggml.tokens", tokens);
    const auto bytes = file.add("tokenizer.ggml.merges", std::vector<std::string>{}).build();
    const gguf::GgufFile parsed = gguf::parse(bytes);
    const auto tokenizer =
        Tokenizer::from_json(gguf::tokenizer_json(parsed.metadata, gguf::TokenList(parsed.metadata))).value();
    for (const std::string text : {"I'M 12345 the  café's\r\n\n x_y日本😀 नमस्ते", "A1b2 C!?\n"}) {
      const Ids ids = tokenizer->encode(text, false).value();
      EXPECT_EQ(tokenizer->decode(ids, false), text) << name;
    }
  }
}

// A file too large to commit and its encodings by tools/reference/make_gguf_vocabularies.py --of.
TEST(GgufVocabulary, EncodesAsLlamaCppWithANamedFile) {
  const char* const model = std::getenv("INGOT_GGUF");
  const char* const encodings = std::getenv("INGOT_GGUF_ENCODINGS");
  if (!model || !encodings) GTEST_SKIP() << "INGOT_GGUF and INGOT_GGUF_ENCODINGS name no files";
  expect_as_llama_cpp(*tokenizer_of(model), golden::cases(encodings));
}

}  // namespace
}  // namespace ingot
