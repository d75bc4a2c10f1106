// Names, generation defaults and template facts of an opened model.
#include "ingot/apps/served_model.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <random>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "ingot/apps/version.h"

namespace ingot {
namespace {

namespace json = boost::json;

double number_or(const json::object& object, std::string_view key, double fallback) {
  const json::value* value = object.if_contains(key);
  return value && value->is_number() ? value->to_number<double>() : fallback;
}

std::string text_or_empty(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value && value->is_object()) value = value->get_object().if_contains("content");  // an AddedToken
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

// The tokenizer's own EOS (the config's first one where it names none) ends with stop_reason null, the model's further
// ones with their id (as vLLM does).
void set_eos(const OpenedModel& opened, api::ModelDefaults& defaults) {
  const std::string eos_text = text_or_empty(opened.text.tokenizer_config, "eos_token");
  std::optional<int32_t> eos = opened.text.tokenizer->token_to_id(eos_text);
  if (!eos && !opened.generation.eos_token_ids.empty()) eos = opened.generation.eos_token_ids.front();
  if (eos) defaults.eos_token_ids.push_back(*eos);
  for (const int32_t id : opened.generation.eos_token_ids) {
    if (id != eos) defaults.extra_eos_token_ids.push_back(id);
  }
}

void set_sampling_defaults(const json::object& generation, api::ModelDefaults& defaults) {
  defaults.temperature = number_or(generation, "temperature", defaults.temperature);
  defaults.top_p = number_or(generation, "top_p", defaults.top_p);
  defaults.min_p = number_or(generation, "min_p", defaults.min_p);
  defaults.repetition_penalty = number_or(generation, "repetition_penalty", defaults.repetition_penalty);
  const auto count = [&](const char* key, double fallback) {
    return static_cast<int32_t>(std::clamp(number_or(generation, key, fallback), -1.0, double{INT32_MAX}));
  };
  defaults.top_k = count("top_k", defaults.top_k);
  if (const int32_t most = count("max_new_tokens", 0); most > 0) defaults.max_new_tokens = most;
}

// "in message.content" or "in message['content']", then a filter or the tag's end.
bool loops_over_content(std::string_view source) {
  constexpr std::string_view kSpace = " \t\n\r", kContent = "content";
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = source.find(kContent); at != source.npos; at = source.find(kContent, at + 1)) {
    std::string_view before = source.substr(0, at), after = source.substr(at + kContent.size());
    const auto drop = [&](std::string_view these) {
      const size_t last = before.find_last_not_of(these);
      before = before.substr(0, last == before.npos ? 0 : last + 1);
    };
    const size_t with_name = before.size();
    drop(before.ends_with('.') ? "." : " [\"'");
    if (before.size() == with_name) continue;
    while (!before.empty() && is_word(before.back())) before.remove_suffix(1);
    const size_t with_space = before.size();
    drop(kSpace);
    if (before.size() == with_space || !before.ends_with("in")) continue;
    if (before.size() > 2 && is_word(before[before.size() - 3])) continue;
    const size_t next = after.find_first_not_of(" \t\n\r\"']");
    if (next != after.npos && std::string_view("|%-").find(after[next]) != std::string_view::npos) return true;
  }
  return false;
}

// A template that loops over a message's content wants its parts; others want one text.
api::ContentFormat content_format(const std::string& wanted, const std::string& source) {
  const bool parts = wanted == "auto" ? loops_over_content(source) : wanted == "openai";
  return parts ? api::ContentFormat::kParts : api::ContentFormat::kString;
}

uint64_t random_seed() { return uint64_t{std::random_device{}()} << 32 | std::random_device{}(); }

// Stored pieces are never shorter than the text they stand for ("▁" for a space, two bytes for most byte tokens).
size_t max_token_bytes(const Tokenizer& tokenizer) {
  size_t most = 0;
  for (int32_t id = 0; id < tokenizer.vocab_size(); ++id) most = std::max(most, tokenizer.id_to_token(id).size());
  return most;
}

}  // namespace

OpenOptions open_options(const ServeConfig& config) {
  return {config.source, config.scheduler, config.cache, config.kv_budget, config.logprobs_mode};
}

serve::ServedModel make_served_model(const OpenedModel& opened, const ServeConfig& config) {
  serve::ServedModel served;
  api::ModelDefaults& defaults = served.defaults;
  defaults.model_names = config.served_model_names;
  if (defaults.model_names.empty()) {
    defaults.model_names.push_back(config.source.model.empty() ? std::filesystem::path(opened.path).stem().string()
                                                               : config.source.model);
  }
  defaults.max_model_len = opened.max_model_len;
  defaults.vocab_size = opened.config.vocab_size;
  defaults.max_logprobs = config.max_logprobs;
  set_eos(opened, defaults);
  set_sampling_defaults(opened.generation.sampling, defaults);
  defaults.max_tokens_cap = opened.generation.max_tokens_cap;
  defaults.truncates_left = text_or_empty(opened.text.tokenizer_config, "truncation_side") == "left";
  const std::string source(find_template(opened.text.chat_templates, "default"));
  defaults.chat.content_format = content_format(config.chat_template_content_format, source);
  defaults.chat.template_kwargs = config.chat_template_kwargs;
  defaults.chat.trusts_request_template = config.trust_request_chat_template;
  defaults.chat.has_developer_role = source.find("developer") != std::string::npos;

  served.root = opened.path;
  const std::string fingerprint =
      fmt::format("{} {} {}", opened.cache.hash_root, opened.max_model_len, opened.cache.block_size);
  served.system_fingerprint =
      fmt::format("ingot-{}-{:08x}", kVersion, static_cast<uint32_t>(std::hash<std::string>()(fingerprint)));
  served.tokenizer = opened.text.tokenizer;
  served.max_token_bytes = max_token_bytes(*opened.text.tokenizer);
  served.chat_template = opened.text.chat_template;
  served.bos_token = text_or_empty(opened.text.tokenizer_config, "bos_token");
  served.eos_token = text_or_empty(opened.text.tokenizer_config, "eos_token");
  served.response_role = config.response_role;
  served.seed = config.source.seed == -1 ? random_seed() : static_cast<uint64_t>(config.source.seed);
  served.prompt_tokens_details = config.enable_prompt_tokens_details;
  served.force_include_usage = config.enable_force_include_usage;
  return served;
}

}  // namespace ingot
