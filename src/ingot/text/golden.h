// For tests: the committed data that reference implementations made (tests/golden, tests/fixtures).
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "ingot/text/tokenizer.h"

namespace ingot::golden {

inline std::string read(const std::string& path) {
  const std::filesystem::path file = std::filesystem::path(INGOT_SOURCE_DIR) / "tests" / path;
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream) << file;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline boost::json::array cases(const std::string& path) { return boost::json::parse(read(path)).as_array(); }

// Every model and decoder of the crate; tools/reference/make_tiny_tokenizers.py says what each is.
inline std::vector<std::string> tokenizer_names() {
  return {"byte_level", "byte_fallback", "word_piece", "word_piece_raw", "word_level",  "unigram", "unigram_bytes",
          "gemma",      "end_of_word",   "ctc",        "roberta",        "fixed_length"};
}

// One of tokenizer_names(): "byte_level" as GPT-2, Llama 3 and Qwen, "byte_fallback" as Llama 2.
inline std::shared_ptr<const Tokenizer> tokenizer(const std::string& name) {
  return Tokenizer::from_json(read("fixtures/tokenizers/" + name + ".json")).value();
}

}  // namespace ingot::golden
