// The JSON files of a folder as Hugging Face lays it out.
#pragma once

#include <filesystem>

#include <boost/json.hpp>

#include "ingot/base/result.h"
#include "ingot/checkpoint/format_error.h"
#include "ingot/checkpoint/tokenizer_files.h"

namespace ingot {

struct FolderFiles {
  boost::json::object config;             // with changes laid over, text_config raised
  boost::json::object generation_config;  // {} where there is none
  TokenizerFiles tokenizer;
};

// Throws FormatError, with the path in the message, and filesystem_error.
FolderFiles read_folder_files(const std::filesystem::path& folder, const boost::json::object& config_changes);

// The value, or its error thrown as FormatError.
template <class T>
T unwrap(Result<T> result) {
  if (!result) throw FormatError(result.error().code, result.error().message);
  return std::move(*result);
}

}  // namespace ingot
