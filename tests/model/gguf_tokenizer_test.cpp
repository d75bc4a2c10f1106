// The default model's vocabulary, from the GGUF file through tokenizer.json to ids, against llama.cpp's ids
// (tests/golden/smollm2/encodings.json, made by tools/reference/make_tokenizer_golden.py).
#include <fstream>
#include <sstream>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "ingot/checkpoint/checkpoint.h"
#include "ingot/hub/resolve.h"
#include "ingot/text/tokenizer.h"

namespace ingot {
namespace {

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

TEST(GgufTokenizer, EncodesAsLlamaCppDoes) {
  const auto checkpoint = value_of(open_checkpoint(value_of(resolve_model(""))));
  const auto tokenizer = value_of(Tokenizer::from_json(value_of(checkpoint->tokenizer_json())));
  std::ifstream file(INGOT_SOURCE_DIR "/tests/golden/smollm2/encodings.json");
  std::stringstream golden;
  golden << file.rdbuf();
  const boost::json::value rows = boost::json::parse(golden.str());
  ASSERT_GE(rows.as_array().size(), 200u);
  for (const boost::json::value& row : rows.as_array()) {
    const std::string text(row.at("text").as_string());
    const auto want = boost::json::value_to<std::vector<int32_t>>(row.at("ids"));
    // The vocabulary adds no BOS, so special tokens make no difference.
    EXPECT_EQ(tokenizer->encode(text, true).value(), want) << text;
    EXPECT_EQ(tokenizer->decode(want, false), text);
  }
}

}  // namespace
}  // namespace ingot
