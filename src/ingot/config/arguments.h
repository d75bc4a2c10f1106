// Arguments before they meet the table of flags.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingot/base/result.h"

namespace ingot {

// "--max_num_seqs=4" → "--max-num-seqs=4"; values and positional arguments stay.
std::vector<std::string> normalise_flag_names(std::span<const std::string> arguments);

// Puts the pairs of the file that --config names in front, as flags: true → --flag, false → --no-flag, a list → the
// flag with its values. Errors: kNotFound, kCorrupt, naming the file.
Result<std::vector<std::string>> expand_config_file(std::vector<std::string> arguments);

// "2048", "1k" = 1,000, "1K" = 1,024, and M, G, likewise; at least 0. Errors: kInvalidArgument.
Result<int64_t> parse_count(std::string_view text);

// The candidate with the smallest edit distance, "" if none is near.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace ingot
