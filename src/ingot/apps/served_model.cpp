// Names, generation defaults and template facts of an opened model.
#include "ingot/apps/served_model.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <random>
#include <regex>

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

std::vector<int32_t> ids_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (!value) return {};
  if (value->is_int64()) return {static_cast<int32_t>(value->get_int64())};
  std::vector<int32_t> ids;
  if (value->is_array()) {
    for (const json::value& id : value->get_array()) {
      if (id.is_int64()) ids.push_back(static_cast<int32_t>(id.get_int64()));
    }
  }
  return ids;
}

// The tokenizer's own EOS ends with stop_reason null, the model's further ones with their id (as vLLM does).
void set_eos(const OpenedModel& opened, api::ModelDefaults& defaults) {
  const std::string eos_text = text_or_empty(opened.tokenizer_config, "eos_token");
  const std::optional<int32_t> eos = opened.tokenizer->token_to_id(eos_text);
  if (eos) defaults.eos_token_ids.push_back(*eos);
  for (const int32_t id : ids_of(opened.generation_config, "eos_token_id")) {
    if (id != eos) defaults.extra_eos_token_ids.push_back(id);
  }
}

void set_sampling_defaults(const json::object& generation, api::ModelDefaults& defaults) {
  defaults.temperature = number_or(generation, "temperature", defaults.temperature);
  defaults.top_p = number_or(generation, "top_p", defaults.top_p);
  defaults.min_p = number_or(generation, "min_p", defaults.min_p);
  defaults.repetition_penalty = number_or(generation, "repetition_penalty", defaults.repetition_penalty);
  defaults.top_k = static_cast<int32_t>(number_or(generation, "top_k", defaults.top_k));
  if (generation.contains("max_new_tokens"))
    defaults.max_new_tokens = static_cast<int32_t>(number_or(generation, "max_new_tokens", 0));
}

// A template that loops over a message's content wants its parts; others want one text.
api::ContentFormat content_format(const std::string& source) {
  static const std::regex kLoop(R"(\bin\s+\w+(\.content|\[\s*['"]content['"]\s*\])\s*(\||%|-))");
  return std::regex_search(source, kLoop) ? api::ContentFormat::kParts : api::ContentFormat::kString;
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
  return {config.model, config.max_model_len, config.scheduler, config.cache, config.kv_budget, config.logprobs_mode};
}

serve::ServedModel make_served_model(const OpenedModel& opened, const ServeConfig& config) {
  serve::ServedModel served;
  api::ModelDefaults& defaults = served.defaults;
  defaults.model_names = config.served_model_names;
  if (defaults.model_names.empty()) {
    defaults.model_names.push_back(config.model.empty() ? std::filesystem::path(opened.path).stem().string()
                                                        : config.model);
  }
  defaults.max_model_len = opened.max_model_len;
  defaults.vocab_size = opened.config.vocab_size;
  defaults.max_logprobs = config.max_logprobs;
  set_eos(opened, defaults);
  if (config.generation_config == "auto") set_sampling_defaults(opened.generation_config, defaults);
  defaults.truncates_left = text_or_empty(opened.tokenizer_config, "truncation_side") == "left";
  const std::string source(find_template(opened.chat_templates, "default"));
  defaults.chat.content_format = content_format(source);
  defaults.chat.has_developer_role = source.find("developer") != std::string::npos;

  served.root = opened.path;
  const std::string fingerprint =
      fmt::format("{} {} {}", opened.cache.hash_root, opened.max_model_len, opened.cache.block_size);
  served.system_fingerprint =
      fmt::format("ingot-{}-{:08x}", kVersion, static_cast<uint32_t>(std::hash<std::string>()(fingerprint)));
  served.tokenizer = opened.tokenizer;
  served.max_token_bytes = max_token_bytes(*opened.tokenizer);
  served.chat_template = opened.chat_template;
  served.bos_token = text_or_empty(opened.tokenizer_config, "bos_token");
  served.eos_token = text_or_empty(opened.tokenizer_config, "eos_token");
  served.response_role = config.response_role;
  served.seed = config.seed == -1 ? random_seed() : static_cast<uint64_t>(config.seed);
  served.prompt_tokens_details = config.enable_prompt_tokens_details;
  served.force_include_usage = config.enable_force_include_usage;
  return served;
}

}  // namespace ingot
