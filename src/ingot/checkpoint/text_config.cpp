// Which side wins, key by key.
#include "ingot/checkpoint/text_config.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ingot {

namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 6> kOfWholeModel{"architectures",       "tie_word_embeddings", "quantization",
                                                        "quantization_config", "bos_token_id",        "eos_token_id"};

}  // namespace

void raise_text_config(json::object& config) {
  const json::value* const nested = config.if_contains("text_config");
  if (!nested || !nested->is_object()) return;
  const json::object text = nested->get_object();  // a copy: the root grows below
  for (const auto& [key, value] : text) {
    if (value.is_null()) continue;
    const bool roots = std::ranges::find(kOfWholeModel, std::string_view(key)) != kOfWholeModel.end();
    json::value& own = config[key];
    if (!roots || own.is_null()) own = value;
  }
}

}  // namespace ingot
