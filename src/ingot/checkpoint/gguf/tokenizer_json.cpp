// Vocabulary and merges are written straight to text: they are the bulk, and a DOM of them would cost more than all
// else.
#include "ingot/checkpoint/gguf/tokenizer_json.h"

#include <string_view>
#include <unordered_map>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "ingot/checkpoint/gguf/pre_tokenizer.h"

namespace ingot::gguf {

namespace json = boost::json;

namespace {

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

// "left right": neither side of a byte-level merge holds a space, but the left one may not be empty either.
void append_merges(std::string& out, std::span<const std::string_view> merges) {
  out += '[';
  for (size_t i = 0; i < merges.size(); ++i) {
    const size_t space = merges[i].find(' ', 1);
    if (space == std::string_view::npos || space + 1 == merges[i].size())
      corrupt(fmt::format("tokenizer.ggml.merges[{}] is {}, not a pair", i, quoted(merges[i])));
    if (i > 0) out += ',';
    out += '[';
    append_quoted(out, merges[i].substr(0, space));
    out += ',';
    append_quoted(out, merges[i].substr(space + 1));
    out += ']';
  }
  out += ']';
}

json::array added_tokens(const TokenList& tokens) {
  json::array added;
  for (size_t id = 0; id < tokens.texts().size(); ++id) {
    if (!tokens.is_control(id) && !tokens.is_user_defined(id)) continue;
    added.push_back(json::object{{"id", id},
                                 {"content", json::string(tokens.texts()[id])},
                                 {"single_word", false},
                                 {"lstrip", false},
                                 {"rstrip", false},
                                 {"normalized", false},
                                 {"special", tokens.is_control(id)}});
  }
  return added;
}

// TemplateProcessing that puts BOS before and EOS after each text, null where the vocabulary wants neither.
json::value post_processor(const TokenList& tokens) {
  if (!tokens.adds_bos() && !tokens.adds_eos()) return nullptr;
  json::object special;
  const auto piece = [&](std::string_view role, int type_id) {
    const int64_t id = *tokens.id(role);
    const json::string text(tokens.texts()[static_cast<size_t>(id)]);
    special[text] = json::object{{"id", text}, {"ids", json::array{id}}, {"tokens", json::array{text}}};
    return json::object{{"SpecialToken", json::object{{"id", text}, {"type_id", type_id}}}};
  };
  const auto sequence = [&](std::string_view name, int type_id) {
    json::array parts;
    if (tokens.adds_bos()) parts.push_back(piece("bos", type_id));
    parts.push_back(json::object{{"Sequence", json::object{{"id", json::string(name)}, {"type_id", type_id}}}});
    if (tokens.adds_eos()) parts.push_back(piece("eos", type_id));
    return parts;
  };
  const json::array single = sequence("A", 0);
  json::array pair = single;
  for (json::value& part : sequence("B", 1)) pair.push_back(std::move(part));
  return json::object{{"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", special}};
}

const PreTokenizer& pre_tokenizer(const Metadata& metadata) {
  const auto name = metadata.text("tokenizer.ggml.pre");
  if (!name) unsupported("has no tokenizer.ggml.pre, so how it cuts text is unknown; convert the model again");
  const PreTokenizer* const row = find_pre_tokenizer(*name);
  if (!row) unsupported(fmt::format("has the unknown pre-tokenizer {} (tokenizer.ggml.pre)", quoted(*name)));
  return *row;
}

}  // namespace

std::string tokenizer_json(const Metadata& metadata, const TokenList& tokens) {
  const auto model = metadata.text("tokenizer.ggml.model");
  if (!model) corrupt("tokenizer.ggml.model is missing");
  if (*model != "gpt2")
    unsupported(fmt::format("has the tokenizer model {}; only byte-level BPE ('gpt2') is read", quoted(*model)));
  const PreTokenizer& pre = pre_tokenizer(metadata);
  const auto merges = metadata.texts("tokenizer.ggml.merges");
  if (tokens.texts().empty()) corrupt("tokenizer.ggml.tokens is missing");
  if (!merges) corrupt("tokenizer.ggml.merges is missing");

  json::object head{{"version", "1.0"}, {"truncation", nullptr}, {"padding", nullptr}};
  head["added_tokens"] = added_tokens(tokens);
  head["normalizer"] = pre.nfc ? json::value(json::object{{"type", "NFC"}}) : json::value(nullptr);
  head["pre_tokenizer"] = pre_tokenizer_json(pre);
  head["post_processor"] = post_processor(tokens);
  head["decoder"] =
      json::object{{"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", true}, {"use_regex", true}};
  const json::object bpe{{"type", "BPE"},
                         {"dropout", nullptr},
                         {"unk_token", nullptr},
                         {"fuse_unk", false},
                         {"byte_fallback", false},
                         {"continuing_subword_prefix", nullptr},
                         {"end_of_word_suffix", nullptr},
                         {"ignore_merges", pre.ignore_merges}};

  std::string out = json::serialize(head);
  out.pop_back();  // both objects are reopened to take what follows
  out += ",\"model\":" + json::serialize(bpe);
  out.pop_back();
  out += ",\"vocab\":";
  append_vocabulary(out, tokens.texts());
  out += ",\"merges\":";
  append_merges(out, *merges);
  return out + "}}";
}

}  // namespace ingot::gguf
