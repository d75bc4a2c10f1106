// Byte-level BPE: GPT-2's kind, with its merges in the file.
#include <fmt/format.h>

#include "ingot/checkpoint/gguf/pre_tokenizer.h"
#include "ingot/checkpoint/gguf/tokenizer_model.h"

namespace ingot::gguf {

namespace json = boost::json;

namespace {

// "left right": neither side of a byte-level merge holds a space, but the left one may not be empty either.
std::string merges_text(std::span<const std::string_view> merges) {
  std::string out = "[";
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
  return out + ']';
}

const PreTokenizer& pre_tokenizer(const Metadata& metadata) {
  const auto name = metadata.text("tokenizer.ggml.pre");
  if (!name) unsupported("has no tokenizer.ggml.pre, so how it cuts text is unknown; convert the model again");
  const PreTokenizer* const row = find_pre_tokenizer(*name);
  if (!row) unsupported(fmt::format("has the unknown pre-tokenizer {} (tokenizer.ggml.pre)", quoted(*name)));
  return *row;
}

}  // namespace

TokenizerModel byte_level_model(const Metadata& metadata, const TokenList& tokens) {
  const PreTokenizer& pre = pre_tokenizer(metadata);
  const auto merges = metadata.texts("tokenizer.ggml.merges");
  if (!merges) corrupt("tokenizer.ggml.merges is missing");
  const json::object bpe{{"type", "BPE"},
                         {"dropout", nullptr},
                         {"unk_token", nullptr},
                         {"fuse_unk", false},
                         {"byte_fallback", false},
                         {"continuing_subword_prefix", nullptr},
                         {"end_of_word_suffix", nullptr},
                         {"ignore_merges", pre.ignore_merges}};
  std::string vocabulary;
  append_vocabulary(vocabulary, tokens.texts());
  vocabulary += ",\"merges\":" + merges_text(*merges);

  TokenizerModel out;
  if (pre.nfc) out.normalizer = json::object{{"type", "NFC"}};
  out.pre_tokenizer = pre_tokenizer_json(pre);
  out.decoder =
      json::object{{"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", true}, {"use_regex", true}};
  out.model = with_pair(bpe, "vocab", vocabulary);
  return out;
}

}  // namespace ingot::gguf
