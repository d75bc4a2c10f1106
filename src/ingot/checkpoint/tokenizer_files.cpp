// The files' precedence is transformers'.
#include "ingot/checkpoint/tokenizer_files.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ingot/checkpoint/json_file.h"

namespace ingot {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

using Templates = std::vector<NamedTemplate>;

Result<Templates> templates_of_files(const fs::path& folder) {
  Templates templates;
  std::vector<std::pair<std::string, fs::path>> files;
  if (const fs::path file = folder / "chat_template.jinja"; fs::exists(file)) files.emplace_back("default", file);
  if (const fs::path others = folder / "additional_chat_templates"; fs::is_directory(others))
    for (const auto& entry : fs::directory_iterator(others))
      if (entry.path().extension() == ".jinja") files.emplace_back(entry.path().stem().string(), entry.path());
  std::ranges::sort(files);
  for (const auto& [name, file] : files) {
    auto text = read_text_file(file);
    if (!text) return std::unexpected(text.error());
    templates.push_back({name, std::move(*text)});
  }
  return templates;
}

// A text, or a list of {"name", "template"}.
Result<Templates> templates_of_value(const json::value& value, const fs::path& file) {
  const auto wrong = [&] {
    return fail(ErrorCode::kCorrupt,
                fmt::format("{}: chat_template is neither a text nor a list of {{\"name\": …, \"template\": …}}",
                            file.string()));
  };
  if (value.is_null()) return Templates{};
  if (value.is_string()) return Templates{{"default", std::string(value.get_string())}};
  if (!value.is_array()) return wrong();
  Templates templates;
  for (const json::value& row : value.get_array()) {
    const json::object* const object = row.if_object();
    const json::value* const name = object ? object->if_contains("name") : nullptr;
    const json::value* const text = object ? object->if_contains("template") : nullptr;
    if (!name || !text || !name->is_string() || !text->is_string()) return wrong();
    templates.push_back({std::string(name->get_string()), std::string(text->get_string())});
  }
  return templates;
}

// The template that a JSON file holds beside other things, taken out of it.
Result<Templates> take_templates(json::object& object, const fs::path& file) {
  const json::value* const found = object.if_contains("chat_template");
  if (!found) return Templates{};
  auto templates = templates_of_value(*found, file);
  object.erase("chat_template");
  return templates;
}

void complete(json::object& config, const json::object& special_tokens) {
  for (const auto& [key, value] : special_tokens) {
    json::value& own = config[key];
    if (own.is_null()) own = value;
  }
}

}  // namespace

std::string_view find_template(std::span<const NamedTemplate> templates, std::string_view name) {
  const auto found = std::ranges::find(templates, name, &NamedTemplate::name);
  return found == templates.end() ? std::string_view() : std::string_view(found->text);
}

Result<TokenizerFiles> read_tokenizer_files(const fs::path& folder) {
  TokenizerFiles files;
  auto config = read_json_file_if_there(folder / "tokenizer_config.json");
  if (!config) return std::unexpected(config.error());
  files.config = std::move(*config).value_or(json::object{});
  auto own = take_templates(files.config, folder / "tokenizer_config.json");
  if (!own) return std::unexpected(own.error());

  const auto special_tokens = read_json_file_if_there(folder / "special_tokens_map.json");
  if (!special_tokens) return std::unexpected(special_tokens.error());
  if (*special_tokens) complete(files.config, **special_tokens);

  auto templates = templates_of_files(folder);
  if (!templates) return std::unexpected(templates.error());
  if (templates->empty()) templates = std::move(own);
  if (templates->empty()) {
    auto object = read_json_file_if_there(folder / "chat_template.json");
    if (!object) return std::unexpected(object.error());
    if (*object) templates = take_templates(**object, folder / "chat_template.json");
    if (!templates) return std::unexpected(templates.error());
  }
  files.chat_templates = std::move(*templates);
  return files;
}

Result<std::string> read_tokenizer_json(const fs::path& folder) {
  const fs::path file = folder / "tokenizer.json";
  if (!fs::exists(file))
    return fail(ErrorCode::kNotFound,
                fmt::format("{}: there is no tokenizer.json; `AutoTokenizer.from_pretrained(FOLDER).save_pretrained("
                            "FOLDER)` of transformers writes it from the tokenizer's other files",
                            folder.string()));
  return read_text_file(file);
}

}  // namespace ingot
