// Which file's word counts.
#include "ingot/host/generation.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "ingot/checkpoint/json_file.h"
#include "ingot/core/lay_over.h"

namespace ingot {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::array kSamplingKeys{"temperature", "top_p", "top_k", "min_p", "repetition_penalty", "max_new_tokens"};

// An id or a list of them; others than ids are left out.
void add_ids(const json::object& object, std::vector<int32_t>& ids) {
  const auto add = [&](const json::value& value) {
    const auto* const id = value.if_int64();
    if (!id || *id < 0 || *id > INT32_MAX) return;
    const auto small = static_cast<int32_t>(*id);
    if (std::ranges::find(ids, small) == ids.end()) ids.push_back(small);
  };
  const json::value* const value = object.if_contains("eos_token_id");
  if (!value) return;
  if (!value->is_array()) return add(*value);
  for (const json::value& id : value->get_array()) add(id);
}

json::object sampling_keys(const json::object& from) {
  json::object result;
  for (const char* const key : kSamplingKeys)
    if (const json::value* const value = from.if_contains(key); value && !value->is_null()) result[key] = *value;
  return result;
}

Status check(const json::object& sampling) {
  for (const auto& [key, value] : sampling)
    if (!value.is_number())
      return fail(ErrorCode::kCorrupt, fmt::format("generation config: {} is {}, must be a number",
                                                   std::string_view(key), json::serialize(value)));
  return {};
}

Result<json::object> read_folder(const std::string& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    return fail(ErrorCode::kNotFound,
                fmt::format("--generation-config {}: is neither auto nor vllm nor a folder", folder),
                "generation-config");
  return read_json_file(fs::path(folder) / "generation_config.json");
}

std::optional<int32_t> max_new_tokens(const json::object& object) {
  const json::value* const value = object.if_contains("max_new_tokens");
  const auto* const count = value ? value->if_int64() : nullptr;
  return count && *count > 0 && *count <= INT32_MAX ? std::optional(static_cast<int32_t>(*count)) : std::nullopt;
}

}  // namespace

Result<GenerationDefaults> read_generation(const ModelSource& source, const Checkpoint& checkpoint) {
  const json::object& config = checkpoint.config();
  json::object own = checkpoint.generation_config();
  GenerationDefaults result;
  add_ids(config, result.eos_token_ids);
  if (const json::value* const text = config.if_contains("text_config"); text && text->is_object())
    add_ids(text->get_object(), result.eos_token_ids);
  add_ids(own, result.eos_token_ids);

  if (source.generation_config == "auto") {
    result.sampling = sampling_keys(own.empty() ? config : own);
  } else if (source.generation_config != "vllm") {
    const auto folder = read_folder(source.generation_config);
    if (!folder) return std::unexpected(folder.error());
    add_ids(*folder, result.eos_token_ids);
    result.sampling = sampling_keys(*folder);
    result.max_tokens_cap = max_new_tokens(*folder);
  }
  add_ids(source.generation_overrides, result.eos_token_ids);
  lay_over(result.sampling, sampling_keys(source.generation_overrides));
  if (const auto cap = max_new_tokens(source.generation_overrides)) result.max_tokens_cap = cap;
  if (Status checked = check(result.sampling); !checked) return std::unexpected(checked.error());
  return result;
}

}  // namespace ingot
