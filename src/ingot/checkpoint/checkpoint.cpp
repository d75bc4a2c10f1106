// Picks the reader for a path.
#include "ingot/checkpoint/checkpoint.h"

#include <system_error>

#include <fmt/format.h>

#include "ingot/checkpoint/gguf/gguf_checkpoint.h"

namespace ingot {

std::string_view Checkpoint::chat_template() const {
  const boost::json::value* const text = tokenizer_config().if_contains("chat_template");
  return text && text->is_string() ? std::string_view(text->get_string()) : std::string_view();
}

Result<std::unique_ptr<Checkpoint>> open_checkpoint(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return fail(ErrorCode::kUnsupported,
                fmt::format("{}: folders of safetensors are not read yet; name a .gguf file", path.string()));
  return open_gguf(path);
}

}  // namespace ingot
