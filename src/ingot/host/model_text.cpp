// Files first, then what the crates make of them.
#include "ingot/host/model_text.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "ingot/checkpoint/json_file.h"

namespace ingot {
namespace {

namespace fs = std::filesystem;

// tokenizer.json's text, with `text` filled in but for what is compiled.
Result<std::string> read_files(const ModelSource& source, const Checkpoint& checkpoint, ModelText& text) {
  if (source.tokenizer.empty()) {
    text.tokenizer_config = checkpoint.tokenizer_config();
    text.chat_templates.assign(checkpoint.chat_templates().begin(), checkpoint.chat_templates().end());
    return checkpoint.tokenizer_json();
  }
  std::error_code ignored;
  const fs::path path = source.tokenizer;
  if (!fs::exists(path, ignored))
    return fail(ErrorCode::kNotFound, fmt::format("--tokenizer {}: there is no such file or folder", path.string()),
                "tokenizer");
  const bool is_folder = fs::is_directory(path, ignored);
  try {
    auto files = read_tokenizer_files(is_folder ? path : path.parent_path());
    if (!files) return std::unexpected(files.error());
    text.tokenizer_config = std::move(files->config);
    text.chat_templates = std::move(files->chat_templates);
    return is_folder ? read_tokenizer_json(path) : read_text_file(path);
  } catch (const fs::filesystem_error& e) {
    return fail(ErrorCode::kIo, e.what(), "tokenizer");
  }
}

// --chat-template: a file where one has that name, a template where it reads like one.
Result<std::string> given_template(const std::string& argument) {
  std::error_code ignored;
  if (fs::is_regular_file(argument, ignored)) return read_text_file(argument);
  if (argument.find_first_of("{}\n") != std::string::npos) return argument;
  return fail(ErrorCode::kNotFound,
              fmt::format("--chat-template {}: there is no such file, and it is no Jinja text either", argument),
              "chat-template");
}

}  // namespace

Result<ModelText> open_text(const ModelSource& source, const Checkpoint& checkpoint) {
  ModelText text;
  const auto json = read_files(source, checkpoint, text);
  if (!json) return std::unexpected(json.error());
  auto tokenizer = Tokenizer::from_json(*json);
  if (!tokenizer) return std::unexpected(tokenizer.error());
  text.tokenizer = std::move(*tokenizer);
  if (!source.chat_template.empty()) {
    auto given = given_template(source.chat_template);
    if (!given) return std::unexpected(given.error());
    text.chat_templates = {{"default", std::move(*given)}};
  }
  const std::string_view source_text = find_template(text.chat_templates, "default");
  if (source_text.empty()) return text;
  auto compiled = ChatTemplate::compile(source_text);
  if (!compiled) return std::unexpected(compiled.error());
  text.chat_template = std::move(*compiled);
  return text;
}

}  // namespace ingot
