// The table. Names and patterns as llama.cpp's src/llama-vocab.cpp (llm_tokenizer_bpe) has them; where it quotes a
// tokenizer.json's original pattern, that one. Normalisers as transformers' tokenizer classes have them.
#include "ingot/checkpoint/gguf/pre_tokenizer.h"

#include <algorithm>
#include <array>

namespace ingot::gguf {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 1> kDigits{R"re(\p{N})re"};

constexpr std::array<std::string_view, 1> kLlama3{
    R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re",
};
constexpr std::array<std::string_view, 1> kQwen2{
    R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re",
};
constexpr std::array<std::string_view, 1> kTekken{
    R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)re"
    R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)re"
    R"re(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)re",
};
constexpr std::array<std::string_view, 1> kGpt4o{
    R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)re"
    R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)re"
    R"re(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)re",
};
// What llama.cpp does for the name `default`: the second one is GPT-2's pattern.
constexpr std::array<std::string_view, 4> kDefault{
    R"re([\p{P}\$\+<=>\^~\|]+)re",
    R"re('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))re",
    R"re(\p{N}+)re",
    R"re([0-9][0-9][0-9])re",
};
constexpr std::array<std::string_view, 6> kDeepseekLlm{
    R"re([\r\n])re",
    R"re(\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+)re",
    R"re(\s?[!-/:-~！-／：-～‘-‟　-。]+)re",
    R"re(\s+$)re",
    R"re([一-龥ࠀ-一가-퟿]+)re",
    R"re(\p{N}+)re",
};
constexpr std::array<std::string_view, 5> kDeepseekCoder{
    R"re([\r\n])re", R"re(\s?\p{L}+)re", R"re(\s?\p{P}+)re", R"re([一-龥ࠀ-一가-퟿]+)re", R"re(\p{N})re",
};
constexpr std::array<std::string_view, 3> kDeepseekV3{
    R"re(\p{N}{1,3})re",
    R"re([一-龥぀-ゟ゠-ヿ]+)re",
    R"re([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re",
};

constexpr std::array<std::string_view, 1> kQwen35{
    R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re",
};
constexpr std::array<std::string_view, 1> kSeedCoder{
    R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)re",
};
constexpr std::array<std::string_view, 1> kBailing{
    R"re('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)re",
};

template <size_t N>
using Names = std::array<std::string_view, N>;
constexpr Names<10> kGpt2Names{"gpt-2",    "phi-2",           "mpt",     "olmo",     "jais",
                               "trillion", "granite-docling", "exaone4", "gigachat", "mellum"};
constexpr Names<7> kDigitsNames{"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"};
constexpr Names<8> kLlama3Names{"llama-bpe", "llama3",  "llama-v3", "falcon3",
                                "falcon-h1", "pixtral", "midm-2.0", "lfm2"};
constexpr Names<4> kLlama3NoBosNames{"smaug-bpe", "dbrx", "glm4", "chatglm-bpe"};
constexpr Names<5> kQwen2PlainNames{"deepseek-r1-qwen", "stablelm2", "hunyuan", "megrez", "solar-open"};
constexpr Names<3> kGpt4oNames{"gpt-4o", "llama4", "minimax-m2"},
    kDeepseekV3Names{"deepseek-v3", "hunyuan-dense", "joyai-llm"},
    kBailingNames{"bailingmoe", "bailingmoe2", "llada-moe"};
constexpr Names<1> kQwen2Names{"qwen2"}, kQwen35Names{"qwen35"}, kTekkenNames{"tekken"},
    kDeepseekLlmNames{"deepseek-llm"}, kDeepseekCoderNames{"deepseek-coder"}, kSeedCoderNames{"seed-coder"},
    kDefaultNames{"default"};

constexpr std::array kTable = std::to_array<PreTokenizer>({
    {.names = kGpt2Names, .patterns = {}, .gpt2_pattern = true},
    {.names = kDigitsNames, .patterns = kDigits, .gpt2_pattern = true},
    {.names = kLlama3Names, .patterns = kLlama3, .ignore_merges = true, .adds_bos = true},
    {.names = kLlama3NoBosNames, .patterns = kLlama3, .ignore_merges = true},
    {.names = kTekkenNames, .patterns = kTekken, .ignore_merges = true, .adds_bos = true},
    {.names = kQwen2Names, .patterns = kQwen2, .nfc = true},
    {.names = kQwen2PlainNames, .patterns = kQwen2},
    {.names = kQwen35Names, .patterns = kQwen35, .nfc = true},
    {.names = kDeepseekLlmNames, .patterns = kDeepseekLlm},
    {.names = kDeepseekCoderNames, .patterns = kDeepseekCoder},
    {.names = kDeepseekV3Names, .patterns = kDeepseekV3},
    {.names = kGpt4oNames, .patterns = kGpt4o},
    {.names = kSeedCoderNames, .patterns = kSeedCoder},
    {.names = kBailingNames, .patterns = kBailing},
    {.names = kDefaultNames, .patterns = kDefault},
});

}  // namespace

const PreTokenizer* find_pre_tokenizer(std::string_view name) {
  const auto* const row = std::ranges::find_if(
      kTable, [&](const PreTokenizer& pre) { return std::ranges::find(pre.names, name) != pre.names.end(); });
  return row == kTable.end() ? nullptr : row;
}

json::object pre_tokenizer_json(const PreTokenizer& pre) {
  json::array steps;
  for (const std::string_view pattern : pre.patterns) {
    json::object split{{"type", "Split"}, {"behavior", "Isolated"}, {"invert", false}};
    split["pattern"] = json::object{{"Regex", json::string(pattern)}};
    steps.push_back(std::move(split));
  }
  steps.push_back(json::object{
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", pre.gpt2_pattern}});
  return {{"type", "Sequence"}, {"pretokenizers", std::move(steps)}};
}

}  // namespace ingot::gguf
