// What text/ is made from: tokenizer.json, tokenizer_config.json and the chat templates, of a checkpoint or a folder.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "ingot/base/result.h"

namespace ingot {

// "default", "tool_use", "rag", …: a model may bring several.
struct NamedTemplate {
  std::string name, text;
};

// The text of that name, "" where there is none.
std::string_view find_template(std::span<const NamedTemplate> templates, std::string_view name);

struct TokenizerFiles {
  boost::json::object config;  // tokenizer_config.json, completed by special_tokens_map.json; no chat_template
  std::vector<NamedTemplate> chat_templates;
};

// The folder's files, tokenizer.json apart; each may be missing. Templates come from chat_template.jinja and
// additional_chat_templates/NAME.jinja, else from tokenizer_config.json, else from chat_template.json.
// Errors: kIo, kCorrupt, naming the file. Throws filesystem_error where the folder cannot be listed.
Result<TokenizerFiles> read_tokenizer_files(const std::filesystem::path& folder);

// The text of the folder's tokenizer.json. Errors: kNotFound with the remedy, and as above.
Result<std::string> read_tokenizer_json(const std::filesystem::path& folder);

}  // namespace ingot
