// Small text and JSON files beside the weights, read whole within bounds.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <boost/json.hpp>

#include "ingot/base/result.h"

namespace ingot {

inline constexpr size_t kMaxTextFileBytes = size_t{256} << 20;
inline constexpr size_t kMaxJsonFileBytes = size_t{64} << 20;
inline constexpr size_t kMaxJsonDepth = 128;

// Errors: kNotFound, kIo, kCorrupt (larger than the bound, not UTF-8), naming the path.
Result<std::string> read_text_file(const std::filesystem::path& path);

// A file that holds one JSON object. Errors: as above, and kCorrupt for what is not one, with the place.
Result<boost::json::object> read_json_file(const std::filesystem::path& path);

// The same, and nothing where there is no such file.
Result<std::optional<boost::json::object>> read_json_file_if_there(const std::filesystem::path& path);

}  // namespace ingot
