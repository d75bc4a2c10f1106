// What the client saw of one request.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ingot::cli {

struct Outcome {
  std::string error;           // "" = it went well
  double start_s = 0;          // since the start of the benchmark
  double first_s = 0;          // from sending to the first piece of text
  double total_s = 0;          // … to the last piece
  std::vector<double> gaps_s;  // between pieces
  int64_t prompt_tokens = 0, output_tokens = 0;
  std::string text;

  bool ok() const { return error.empty(); }
};

}  // namespace ingot::cli
