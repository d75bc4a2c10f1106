// Writing vocabularies as JSON text.
#include "ingot/checkpoint/gguf/tokenizer_model.h"

#include <unordered_map>

#include <fmt/format.h>

namespace ingot::gguf {

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<uint8_t>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<uint8_t>(c));
    else
      out += c;
  }
  out += '"';
}

void append_vocabulary(std::string& out, std::span<const std::string_view> texts) {
  std::unordered_map<std::string_view, size_t> ids;
  ids.reserve(texts.size());
  out += '{';
  for (size_t id = 0; id < texts.size(); ++id) {
    const auto [first, fresh] = ids.try_emplace(texts[id], id);
    if (!fresh)
      corrupt(fmt::format("tokenizer.ggml.tokens has {} twice, at {} and {}", quoted(texts[id]), first->second, id));
    if (id > 0) out += ',';
    append_quoted(out, texts[id]);
    out += ':';
    out += std::to_string(id);
  }
  out += '}';
}

std::string with_pair(const boost::json::object& object, std::string_view key, std::string_view value) {
  std::string out = boost::json::serialize(object);
  out.back() = ',';
  append_quoted(out, key);
  out += ':';
  out += value;
  return out + '}';
}

}  // namespace ingot::gguf
