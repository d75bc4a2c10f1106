// Bounds first, then the parser.
#include "ingot/checkpoint/json_file.h"

#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "ingot/checkpoint/format_error.h"
#include "ingot/checkpoint/mapped_file.h"

namespace ingot {

namespace {

namespace json = boost::json;

Result<std::string> read_within(const std::filesystem::path& path, size_t most) {
  const auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  const std::span<const std::byte> bytes = file->bytes();
  if (bytes.size() > most)
    return fail(ErrorCode::kCorrupt,
                fmt::format("{}: has {} bytes, and at most {} are read", path.string(), bytes.size(), most));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

Result<std::string> read_text_file(const std::filesystem::path& path) {
  auto text = read_within(path, kMaxTextFileBytes);
  if (text && !is_utf8(*text)) return fail(ErrorCode::kCorrupt, fmt::format("{}: is not UTF-8 text", path.string()));
  return text;
}

Result<json::object> read_json_file(const std::filesystem::path& path) {
  const auto text = read_within(path, kMaxJsonFileBytes);
  if (!text) return std::unexpected(text.error());
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  json::parser parser({}, options);
  json::error_code error;
  const size_t read = parser.write_some(*text, error);
  if (!error && text->find_first_not_of(" \t\r\n", read) != std::string::npos) error = json::error::extra_data;
  if (error)
    return fail(ErrorCode::kCorrupt,
                fmt::format("{}: is not JSON: {} at byte {}", path.string(), error.message(), read));
  json::value value = parser.release();
  if (!value.is_object()) return fail(ErrorCode::kCorrupt, fmt::format("{}: holds no JSON object", path.string()));
  return std::move(value.get_object());
}

Result<std::optional<json::object>> read_json_file_if_there(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  return read_json_file(path);
}

}  // namespace ingot
