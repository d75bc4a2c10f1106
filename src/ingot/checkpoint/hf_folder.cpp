// What weights have no part in.
#include "ingot/checkpoint/hf_folder.h"

#include <fmt/format.h>

#include "ingot/checkpoint/json_file.h"
#include "ingot/checkpoint/text_config.h"
#include "ingot/core/lay_over.h"

namespace ingot {

FolderFiles read_folder_files(const std::filesystem::path& folder, const boost::json::object& config_changes) {
  if (!std::filesystem::exists(folder / "config.json"))
    throw FormatError(ErrorCode::kNotFound,
                      fmt::format("{}: there is no config.json; is this the model's folder?", folder.string()));
  FolderFiles files;
  files.config = unwrap(read_json_file(folder / "config.json"));
  lay_over(files.config, config_changes);
  raise_text_config(files.config);
  files.generation_config =
      unwrap(read_json_file_if_there(folder / "generation_config.json")).value_or(boost::json::object{});
  files.tokenizer = unwrap(read_tokenizer_files(folder));
  return files;
}

}  // namespace ingot
