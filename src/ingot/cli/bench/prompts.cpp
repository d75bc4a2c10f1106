// Random draws and files.
#include "ingot/cli/bench/prompts.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ingot::cli {

namespace json = boost::json;

namespace {

// clang-format off
constexpr const char* kWords[] = {
    "about", "after", "again", "air", "all", "along", "also", "always", "animal", "answer", "any", "area", "around", "ask",
    "back", "base", "because", "before", "began", "best", "better", "between", "big", "bird", "black", "blue", "boat",
    "body", "book", "both", "box", "boy", "build", "call", "came", "car", "care", "carry", "cause", "change", "children",
    "city", "class", "clear", "close", "cold", "color", "come", "common", "complete", "could", "country", "course", "cross",
    "dark", "day", "deep", "different", "does", "door", "down", "draw", "dry", "during", "each", "early", "earth", "east",
    "easy", "eat", "end", "enough", "even", "ever", "every", "example", "eye", "face", "fact", "family", "farm", "fast",
    "father", "feel", "feet", "few", "field", "figure", "find", "fire", "first", "fish", "five", "follow", "food", "form",
    "four", "free", "friend", "front", "full", "game", "gave", "girl", "give", "gold", "good", "great", "green", "ground",
    "group", "grow", "half", "hand", "hard", "have", "head", "hear", "heat", "help", "high", "home", "horse", "hot", "hour",
    "house", "idea", "inch", "island", "just", "keep", "kind", "king", "know", "land", "language", "large", "last", "late",
    "laugh", "lead", "learn", "leave", "left", "letter", "life", "light", "line", "list", "little", "live", "long", "look",
    "love", "low", "machine", "main", "make", "many", "map", "mark", "mean", "measure", "men", "might", "mile", "mind",
    "money", "moon", "more", "morning", "most", "mother", "mountain", "move", "much", "music", "must", "name", "near",
    "need", "never", "new", "next", "night", "north", "note", "notice", "number", "object", "off", "often", "old", "once",
    "only", "open", "order", "other", "over", "own", "page", "paper", "part", "pass", "people", "perhaps", "person",
    "picture", "piece", "place", "plan", "plane", "plant", "play", "point", "port", "power", "press", "problem", "produce",
    "question", "quick", "rain", "reach", "read", "ready", "real", "red", "rest", "river", "road", "rock", "room", "round",
    "rule", "run", "same", "school", "science", "sea", "second", "seem", "sentence", "set", "ship", "short", "should",
    "show", "side", "simple", "since", "sing", "six", "size", "sleep", "slow", "small", "snow", "some", "song", "soon",
    "sound", "south", "space", "special", "stand", "star", "start", "state", "step", "still", "stood", "stop", "story",
    "street", "strong", "study", "sun", "sure", "surface", "system", "table", "take", "talk", "teach", "tell", "test",
    "their", "there", "thing", "think", "thought", "three", "through", "time", "together", "told", "town", "travel", "tree",
    "true", "turn", "under", "unit", "until", "usual", "very", "voice", "vowel", "wait", "walk", "war", "warm", "watch",
    "water", "week", "well", "west", "wheel", "where", "which", "while", "white", "whole", "wind", "winter", "wonder",
    "wood", "word", "work", "world", "write", "year", "yes", "young"};
// clang-format on

constexpr int32_t kDefaultCustomLen = 256;
constexpr int32_t kMinTokens = 4, kMaxPromptTokens = 1024, kMaxTokens = 2048;  // of sharegpt's turns, as in vLLM

using Random = std::mt19937_64;

int32_t draw_length(int32_t length, double ratio, Random& random) {
  const auto low = static_cast<int32_t>(std::floor(length * (1 - ratio)));
  const auto high = static_cast<int32_t>(std::ceil(length * (1 + ratio)));
  return std::max(1, std::uniform_int_distribution<int32_t>(low, high)(random));
}

const auto& draw(const auto& from, Random& random) {
  return from[std::uniform_int_distribution<size_t>(0, std::size(from) - 1)(random)];
}

std::string draw_text(int32_t num_words, Random& random) {
  std::string text;
  for (int32_t i = 0; i < num_words; ++i) text.append(text.empty() ? "" : " ").append(draw(kWords, random));
  return text;
}

std::vector<int32_t> draw_ids(int32_t count, const std::vector<int32_t>& pool, Random& random) {
  std::vector<int32_t> ids(static_cast<size_t>(count));
  for (int32_t& id : ids) id = draw(pool, random);
  return ids;
}

Result<std::string> read_file(const std::string& path) {
  if (path.empty()) return fail(ErrorCode::kInvalidArgument, "this data set needs a file: --dataset-path FILE");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return fail(ErrorCode::kIo, fmt::format("cannot read {}", path));
  return std::move(text).str();
}

const json::string* string_at(const json::value& value, std::string_view key) {
  const json::object* object = value.if_object();
  const json::value* found = object ? object->if_contains(key) : nullptr;
  return found ? found->if_string() : nullptr;
}

// Nothing where the conversation is too short or too long to be asked for.
Result<std::optional<Prompt>> sharegpt_prompt(const json::value& entry, const DatasetOptions& options,
                                              const Tokenise& tokenise) {
  const json::object* object = entry.if_object();
  const json::value* turns = object ? object->if_contains("conversations") : nullptr;
  if (!turns || !turns->is_array() || turns->get_array().size() < 2) return std::nullopt;
  const json::string* question = string_at(turns->get_array()[0], "value");
  const json::string* answer = string_at(turns->get_array()[1], "value");
  if (!question || !answer) return std::nullopt;
  const auto question_ids = tokenise(*question), answer_ids = tokenise(*answer);
  if (!question_ids) return std::unexpected(question_ids.error());
  if (!answer_ids) return std::unexpected(answer_ids.error());
  const auto num_prompt = static_cast<int32_t>(question_ids->size());
  const int32_t num_output = options.output_len.value_or(static_cast<int32_t>(answer_ids->size()));
  if (num_prompt < kMinTokens || (!options.output_len && num_output < kMinTokens)) return std::nullopt;
  if (num_prompt > kMaxPromptTokens || num_prompt + num_output > kMaxTokens) return std::nullopt;
  return Prompt{{}, std::string(*question), num_prompt, num_output};
}

Result<std::vector<Prompt>> read_sharegpt(const DatasetOptions& options, const std::string& text,
                                          const Tokenise& tokenise) {
  boost::system::error_code ec;
  json::value root = json::parse(text, ec);
  if (ec || !root.is_array())
    return fail(ErrorCode::kCorrupt, fmt::format("{} is no JSON list of conversations", options.path));
  json::array& entries = root.get_array();
  Random random(options.seed);
  for (size_t i = entries.size(); i > 1; --i) entries[i - 1].swap(entries[random() % i]);
  std::vector<Prompt> prompts;
  for (const json::value& entry : entries) {
    if (prompts.size() == static_cast<size_t>(options.num_prompts)) break;
    auto prompt = sharegpt_prompt(entry, options, tokenise);
    if (!prompt) return std::unexpected(prompt.error());
    if (*prompt) prompts.push_back(std::move(**prompt));
  }
  return prompts;
}

Result<std::vector<Prompt>> read_custom(const DatasetOptions& options, const std::string& text,
                                        const Tokenise& tokenise) {
  std::vector<Prompt> prompts;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line) && prompts.size() < static_cast<size_t>(options.num_prompts);
       ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    boost::system::error_code ec;
    const json::value entry = json::parse(line, ec);
    const json::string* prompt = ec ? nullptr : string_at(entry, "prompt");
    if (!prompt)
      return fail(ErrorCode::kCorrupt, fmt::format("{}:{}: not an object with \"prompt\": text", options.path, number));
    const json::value* own = entry.get_object().if_contains("output_tokens");
    const int32_t own_len = own && own->is_int64() ? static_cast<int32_t>(own->get_int64()) : kDefaultCustomLen;
    const auto ids = tokenise(*prompt);
    if (!ids) return std::unexpected(ids.error());
    prompts.push_back(
        {{}, std::string(*prompt), static_cast<int32_t>(ids->size()), options.output_len.value_or(own_len)});
  }
  return prompts;
}

}  // namespace

std::vector<Prompt> random_prompts(const DatasetOptions& options, const std::vector<int32_t>& pool) {
  Random random(options.seed);
  const bool as_text = pool.empty();
  const std::string prefix_text = as_text ? draw_text(options.random_prefix_len, random) : "";
  const auto prefix_ids = as_text ? std::vector<int32_t>() : draw_ids(options.random_prefix_len, pool, random);
  std::vector<Prompt> prompts;
  for (int i = 0; i < options.num_prompts; ++i) {
    const int32_t length = draw_length(options.random_input_len, options.random_range_ratio, random);
    Prompt prompt{.ids = prefix_ids,
                  .text = prefix_text,
                  .max_tokens = draw_length(options.random_output_len, options.random_range_ratio, random)};
    if (as_text) {
      if (!prompt.text.empty()) prompt.text += ' ';
      prompt.text += draw_text(length, random);
    } else {
      const std::vector<int32_t> ids = draw_ids(length, pool, random);
      prompt.ids.insert(prompt.ids.end(), ids.begin(), ids.end());
      prompt.num_tokens = static_cast<int32_t>(prompt.ids.size());
    }
    prompts.push_back(std::move(prompt));
  }
  return prompts;
}

Result<std::vector<Prompt>> read_prompts(const DatasetOptions& options, const Tokenise& tokenise) {
  const auto text = read_file(options.path);
  if (!text) return std::unexpected(text.error());
  auto prompts =
      options.name == "custom" ? read_custom(options, *text, tokenise) : read_sharegpt(options, *text, tokenise);
  if (!prompts) return prompts;
  if (prompts->empty())
    return fail(ErrorCode::kCorrupt, fmt::format("{} holds no prompt that could be sent", options.path));
  const size_t num_own = prompts->size();
  while (prompts->size() < static_cast<size_t>(options.num_prompts))
    prompts->push_back((*prompts)[prompts->size() - num_own]);
  return prompts;
}

std::string common_words() { return fmt::format(" {}", fmt::join(kWords, " ")); }

}  // namespace ingot::cli
