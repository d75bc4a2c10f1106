// For tests: the committed data that reference implementations made (tests/golden, tests/fixtures).
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

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

// "byte_level" (as GPT-2, Llama 3, Qwen) or "byte_fallback" (as Llama 2).
inline std::shared_ptr<const Tokenizer> tokenizer(const std::string& name) {
  return Tokenizer::from_json(read("fixtures/tokenizers/" + name + ".json")).value();
}

}  // namespace ingot::golden
