// SentencePiece vocabularies: pieces with scores, blanks as U+2581. BPE joins the pair whose piece has the best score;
// the crate joins pairs by rank, so all pairs that make a piece are listed, best score first. Unigram looks for the cut
// of the text with the best sum of scores.
#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "ingot/checkpoint/gguf/base64.h"
#include "ingot/checkpoint/gguf/tokenizer_model.h"

namespace ingot::gguf {

namespace json = boost::json;

namespace {

constexpr std::string_view kBlank = "\xE2\x96\x81";  // U+2581

std::vector<double> scores(const Metadata& metadata, const TokenList& tokens) {
  auto scores = metadata.reals("tokenizer.ggml.scores");
  if (!scores) corrupt("tokenizer.ggml.scores is missing");
  if (scores->size() != tokens.texts().size())
    corrupt(fmt::format("tokenizer.ggml.scores has {} values for {} tokens", scores->size(), tokens.texts().size()));
  return *std::move(scores);
}

json::object replace(json::object pattern, std::string_view content) {
  return {{"type", "Replace"}, {"pattern", std::move(pattern)}, {"content", json::string(content)}};
}

// The longest piece whose cuts are tried: the work is quadratic in its length. SentencePiece's own default is 16
// characters.
constexpr size_t kMaxPieceBytes = 512;

void check_length(size_t id, std::string_view piece) {
  if (piece.size() > kMaxPieceBytes)
    corrupt(fmt::format("token {} has {} bytes, and at most {} are read", id, piece.size(), kMaxPieceBytes));
}

json::object prepend() { return {{"type", "Prepend"}, {"prepend", json::string(kBlank)}}; }

struct Merge {
  double score;
  std::string_view left, right;
};

// Every pair of pieces that makes a piece, best score first; of equal scores, the lower id's.
std::vector<Merge> merges_of(const TokenList& tokens, std::span<const double> scores) {
  const std::span<const std::string_view> pieces = tokens.texts();
  std::unordered_map<std::string_view, size_t> ids;
  ids.reserve(pieces.size());
  for (size_t id = 0; id < pieces.size(); ++id) ids.emplace(pieces[id], id);
  std::vector<Merge> merges;
  for (size_t id = 0; id < pieces.size(); ++id) {
    const std::string_view piece = pieces[id];
    if (!tokens.is_normal(id)) continue;  // text is cut around it before anything is joined
    check_length(id, piece);
    for (size_t cut = 1; cut < piece.size(); ++cut) {
      if ((static_cast<uint8_t>(piece[cut]) & 0xC0) == 0x80) continue;  // inside a character
      const std::string_view left = piece.substr(0, cut), right = piece.substr(cut);
      if (ids.contains(left) && ids.contains(right)) merges.push_back({scores[id], left, right});
    }
  }
  std::ranges::stable_sort(merges, std::greater(), &Merge::score);
  return merges;
}

std::string merges_text(std::span<const Merge> merges) {
  std::string out = "[";
  for (const Merge& merge : merges) {
    if (out.size() > 1) out += ',';
    out += '[';
    append_quoted(out, merge.left);
    out += ',';
    append_quoted(out, merge.right);
    out += ']';
  }
  return out + ']';
}

json::value unknown_token(const TokenList& tokens) {
  const auto unknown = tokens.id("unknown");
  return unknown ? json::value(json::string(tokens.texts()[static_cast<size_t>(*unknown)])) : json::value(nullptr);
}

json::object metaspace(bool prefix) {
  return {{"type", "Metaspace"},
          {"replacement", json::string(kBlank)},
          {"prepend_scheme", prefix ? "always" : "never"},
          {"split", true}};
}

}  // namespace

TokenizerModel sentencepiece_model(const Metadata& metadata, const TokenList& tokens) {
  const bool prefix = metadata.boolean("tokenizer.ggml.add_space_prefix").value_or(true);
  const json::object bpe{{"type", "BPE"},
                         {"dropout", nullptr},
                         {"unk_token", unknown_token(tokens)},
                         {"fuse_unk", true},
                         {"byte_fallback", true},
                         {"continuing_subword_prefix", nullptr},
                         {"end_of_word_suffix", nullptr},
                         {"ignore_merges", false}};
  std::string vocabulary;
  append_vocabulary(vocabulary, tokens.texts());
  vocabulary += ",\"merges\":" + merges_text(merges_of(tokens, scores(metadata, tokens)));

  json::array normalizers, decoders;
  if (prefix) normalizers.push_back(prepend());
  normalizers.push_back(replace({{"String", " "}}, kBlank));
  decoders.push_back(replace({{"String", json::string(kBlank)}}, " "));
  decoders.push_back(json::object{{"type", "ByteFallback"}});
  decoders.push_back(json::object{{"type", "Fuse"}});
  if (prefix) decoders.push_back(json::object{{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  return {.normalizer = json::object{{"type", "Sequence"}, {"normalizers", std::move(normalizers)}},
          .pre_tokenizer = nullptr,
          .decoder = json::object{{"type", "Sequence"}, {"decoders", std::move(decoders)}},
          .model = with_pair(bpe, "vocab", vocabulary)};
}

TokenizerModel unigram_model(const Metadata& metadata, const TokenList& tokens) {
  const std::vector<double> scores_of = scores(metadata, tokens);
  std::string vocabulary = "[";
  for (size_t id = 0; id < scores_of.size(); ++id) {
    if (id > 0) vocabulary += ',';
    vocabulary += '[';
    append_quoted(vocabulary, tokens.texts()[id]);
    vocabulary += fmt::format(",{}]", scores_of[id]);
  }
  const auto unknown = tokens.id("unknown");
  const json::object unigram{{"type", "Unigram"},
                             {"unk_id", unknown ? json::value(*unknown) : json::value(nullptr)},
                             {"byte_fallback", false}};

  const bool merges_blanks = metadata.boolean("tokenizer.ggml.remove_extra_whitespaces").value_or(false);
  const bool prefix = metadata.boolean("tokenizer.ggml.add_space_prefix").value_or(false) || merges_blanks;
  json::array normalizers;
  const auto charsmap = metadata.bytes("tokenizer.ggml.precompiled_charsmap");
  if (charsmap && !charsmap->empty())
    normalizers.push_back(json::object{{"type", "Precompiled"}, {"precompiled_charsmap", base64(*charsmap)}});
  if (merges_blanks) {
    normalizers.push_back(replace({{"Regex", R"(\A +| +\z)"}}, ""));  // blanks alone, not all white space
    normalizers.push_back(replace({{"Regex", " {2,}"}}, " "));
  }
  normalizers.push_back(replace({{"String", " "}}, kBlank));
  if (prefix) normalizers.push_back(prepend());  // also before a U+2581 of the text itself, which Metaspace would not
  return {.normalizer = json::object{{"type", "Sequence"}, {"normalizers", std::move(normalizers)}},
          .pre_tokenizer = metaspace(false),
          .decoder = metaspace(prefix),
          .model = with_pair(unigram, "vocab", vocabulary + ']')};
}

}  // namespace ingot::gguf
