// Arguments before they meet the table of flags.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "ingot/base/result.h"

namespace ingot {

// "--max_num_seqs=4" → "--max-num-seqs=4"; values, positional arguments and what follows a dot stay.
std::vector<std::string> normalise_flag_names(std::span<const std::string> arguments);

// The JSON that a text spells, or the text itself.
boost::json::value json_or_text(const std::string& text);

// Takes --config and its file out of the arguments and returns the file's pairs as flags: `a: 1` → --a=1, a list → the
// flag with its values, a mapping → --a={JSON}. Errors: kNotFound, kCorrupt, naming the file.
Result<std::vector<std::string>> take_config_file(std::vector<std::string>& arguments);

// "2048", "1k" = 1,000, "1K" = 1,024, and M, G, likewise; at least 0. Errors: kInvalidArgument.
Result<int64_t> parse_count(std::string_view text);

// The candidate with the smallest edit distance, "" if none is near.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace ingot
