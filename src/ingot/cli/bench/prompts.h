// What a benchmark asks for: prompts and lengths, from a data set.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingot/base/result.h"

namespace ingot::cli {

struct Prompt {
  std::vector<int32_t> ids;  // or, where these are empty,
  std::string text;
  int32_t num_tokens = 0;  // of the prompt; 0 where it is not known
  int32_t max_tokens = 0;  // of the output
};

struct DatasetOptions {
  std::string name = "random";  // random, sharegpt, custom
  std::string path;             // of sharegpt's and custom's file
  int num_prompts = 1000;
  uint64_t seed = 0;
  std::optional<int32_t> output_len;  // sharegpt, custom: in place of the file's

  // random
  int32_t random_input_len = 1024, random_output_len = 128;
  double random_range_ratio = 0;  // lengths are drawn from len × (1 ± ratio)
  int32_t random_prefix_len = 0;  // tokens that all prompts share, in front
};

// The ids of a text, as the model reads it.
using Tokenise = std::function<Result<std::vector<int32_t>>(std::string_view text)>;

// Random prompts of these ids; of words where there are none (`num_tokens` stays 0 then, as a word may be several).
std::vector<Prompt> random_prompts(const DatasetOptions& options, const std::vector<int32_t>& pool);

// sharegpt: a JSON list of {"conversations": [{"value"}, …]}: the first turn, and as many tokens as the second one has.
// custom: a line of JSON a prompt, {"prompt": text, "output_tokens": number}. Too few prompts are repeated. Errors:
// kIo, kCorrupt, naming file and line.
Result<std::vector<Prompt>> read_prompts(const DatasetOptions& options, const Tokenise& tokenise);

// A text of common words, of which a tokenizer makes ids that no text would surprise.
std::string common_words();

}  // namespace ingot::cli
