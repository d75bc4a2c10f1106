// Key by key from GGUF to Hugging Face.
#include "ingot/checkpoint/gguf/config.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ingot::gguf {

namespace json = boost::json;

namespace {

struct Architecture {
  std::string_view gguf, hugging_face, model_type;
};

constexpr std::array kArchitectures = std::to_array<Architecture>({
    {"llama", "LlamaForCausalLM", "llama"},
    {"qwen2", "Qwen2ForCausalLM", "qwen2"},
    {"qwen3", "Qwen3ForCausalLM", "qwen3"},
    {"smollm3", "SmolLM3ForCausalLM", "smollm3"},
});

// The keys of one architecture, "<arch>.<name>".
class Keys {
 public:
  Keys(const Metadata& metadata, std::string_view arch) : metadata_(metadata), arch_(arch) {}

  std::optional<int64_t> find_size(std::string_view name) const {
    const std::string key = full(name);
    const auto value = metadata_.integer(key);
    if (value && (*value < 1 || *value > INT32_MAX)) corrupt(fmt::format("{} is {}", key, *value));
    return value;
  }
  int64_t size(std::string_view name) const {
    if (const auto value = find_size(name)) return *value;
    corrupt(fmt::format("{} is missing", full(name)));
  }
  std::optional<double> find_real(std::string_view name) const {
    const std::string key = full(name);
    const auto value = metadata_.real(key);
    if (value && *value <= 0) corrupt(fmt::format("{} is {}", key, *value));
    return value;
  }
  std::optional<std::string_view> find_text(std::string_view name) const { return metadata_.text(full(name)); }
  std::string full(std::string_view name) const { return fmt::format("{}.{}", arch_, name); }

 private:
  const Metadata& metadata_;
  std::string_view arch_;
};

const Tensor* find_tensor(const GgufFile& file, std::string_view name) {
  const auto found = std::ranges::find(file.tensors, name, &Tensor::name);
  return found == file.tensors.end() ? nullptr : &*found;
}

const Architecture& architecture(const Metadata& metadata) {
  const auto name = metadata.text("general.architecture");
  if (!name) corrupt("general.architecture is missing");
  const auto* const row = std::ranges::find(kArchitectures, *name, &Architecture::gguf);
  if (row == kArchitectures.end())
    unsupported(fmt::format("has the architecture {}, which is not read yet", quoted(*name)));
  return *row;
}

void add_attention(json::object& config, const Keys& keys) {
  const int64_t hidden = keys.size("embedding_length"), heads = keys.size("attention.head_count");
  const int64_t kv_heads = keys.find_size("attention.head_count_kv").value_or(heads);
  const auto key_length = keys.find_size("attention.key_length");
  if (heads % kv_heads != 0) corrupt(fmt::format("{} query heads do not divide over {} key heads", heads, kv_heads));
  if (!key_length && hidden % heads != 0)
    corrupt(fmt::format("{} is {}, not a multiple of the {} heads", keys.full("embedding_length"), hidden, heads));
  const int64_t head_dim = key_length.value_or(hidden / heads);
  if (keys.find_size("attention.value_length").value_or(head_dim) != head_dim)
    unsupported("has values of another length than keys");
  config["hidden_size"] = hidden;
  config["num_attention_heads"] = heads;
  config["num_key_value_heads"] = kv_heads;
  config["head_dim"] = head_dim;
  const int64_t rotated = keys.find_size("rope.dimension_count").value_or(head_dim);
  if (rotated > head_dim)
    corrupt(fmt::format("{} is {}, above the head's {}", keys.full("rope.dimension_count"), rotated, head_dim));
  if (rotated != head_dim) config["partial_rotary_factor"] = double(rotated) / double(head_dim);
}

json::object rope_factors(const Tensor& tensor) {
  if (tensor.type != ElementType::kF32 || tensor.shape.size() != 1) corrupt("rope_freqs.weight must be a row of F32");
  json::array factors;
  for (size_t i = 0; i < tensor.data.size(); i += sizeof(float)) {
    float factor;
    std::memcpy(&factor, tensor.data.data() + i, sizeof(float));
    factors.emplace_back(factor);
  }
  return {{"rope_type", "factors"}, {"factors", std::move(factors)}};
}

std::optional<json::object> rope_scaling(const GgufFile& file, const Keys& keys) {
  if (const Tensor* const factors = find_tensor(file, "rope_freqs.weight")) return rope_factors(*factors);
  const auto type = keys.find_text("rope.scaling.type");
  if (!type || *type == "none") return std::nullopt;
  json::object scaling{{"rope_type", json::string(*type)}};
  if (const auto factor = keys.find_real("rope.scaling.factor")) scaling["factor"] = *factor;
  if (const auto length = keys.find_size("rope.scaling.original_context_length"))
    scaling["original_max_position_embeddings"] = *length;
  if (const auto factor = keys.find_real("rope.scaling.attn_factor")) scaling["attention_factor"] = *factor;
  return scaling;
}

// The rows of the embedding are the vocabulary; metadata only repeats it.
const Tensor& embedding(const GgufFile& file, int64_t hidden) {
  const Tensor* const tensor = find_tensor(file, "token_embd.weight");
  if (!tensor) corrupt("tensor 'token_embd.weight' is missing");
  if (tensor->shape.size() != 2 || tensor->shape[1] != hidden)
    corrupt(fmt::format("tensor 'token_embd.weight' has the shape [{}], and must be [vocabulary, {}]",
                        fmt::join(tensor->shape, ", "), hidden));
  return *tensor;
}

void add_dtype(json::object& config, ElementType type) {
  if (type == ElementType::kF32) config["dtype"] = "float32";
  if (type == ElementType::kF16) config["dtype"] = "float16";
  if (type == ElementType::kBf16) config["dtype"] = "bfloat16";
}

}  // namespace

json::object model_config(const GgufFile& file, const TokenList& tokens) {
  const Architecture& arch = architecture(file.metadata);
  const Keys keys(file.metadata, arch.gguf);
  if (file.metadata.integer(keys.full("expert_count")).value_or(0) > 0)
    unsupported(fmt::format("is a mixture of experts under the architecture '{}', which is not read yet", arch.gguf));
  json::object config{{"architectures", json::array{json::string(arch.hugging_face)}},
                      {"model_type", json::string(arch.model_type)}};
  add_attention(config, keys);
  config["intermediate_size"] = keys.size("feed_forward_length");
  config["num_hidden_layers"] = keys.size("block_count");
  config["hidden_act"] = "silu";
  const auto eps = keys.find_real("attention.layer_norm_rms_epsilon");
  if (!eps) corrupt(fmt::format("{} is missing", keys.full("attention.layer_norm_rms_epsilon")));
  config["rms_norm_eps"] = *eps;
  config["rope_theta"] = keys.find_real("rope.freq_base").value_or(10000.0);
  if (auto scaling = rope_scaling(file, keys)) config["rope_scaling"] = std::move(*scaling);
  config["max_position_embeddings"] = keys.size("context_length");
  if (const auto window = keys.find_size("attention.sliding_window")) config["sliding_window"] = *window;
  const Tensor& embeddings = embedding(file, config["hidden_size"].as_int64());
  config["vocab_size"] = embeddings.shape[0];
  config["tie_word_embeddings"] = find_tensor(file, "output.weight") == nullptr;
  config["attention_bias"] = find_tensor(file, "blk.0.attn_q.bias") != nullptr;
  add_dtype(config, embeddings.type);
  if (const auto id = tokens.id("bos")) config["bos_token_id"] = *id;
  if (const auto id = tokens.id("eos")) config["eos_token_id"] = *id;
  return config;
}

json::object generation_config(const Metadata& metadata, const TokenList& tokens) {
  // Tokens that close a turn in the templates of the field.
  constexpr std::array<std::string_view, 7> kEndsOfTurn{
      "<|im_end|>", "<|eot_id|>", "<|end|>", "<end_of_turn>", "<|end_of_text|>", "<|endofturn|>", "<|return|>"};
  const std::string_view chat_template = metadata.text("tokenizer.chat_template").value_or("");
  std::vector<int64_t> ends;
  const auto add = [&](std::optional<int64_t> id) {
    if (id && std::ranges::find(ends, *id) == ends.end()) ends.push_back(*id);
  };
  for (const std::string_view role : {"eos", "eot", "eom"}) add(tokens.id(role));
  for (const std::string_view text : kEndsOfTurn)
    if (chat_template.find(text) != std::string_view::npos) add(tokens.find(text));

  json::object config;
  if (const auto id = tokens.id("bos")) config["bos_token_id"] = *id;
  config["eos_token_id"] = json::value_from(ends);
  return config;
}

json::object tokenizer_config(const Metadata& metadata, const TokenList& tokens) {
  json::object config;
  for (const auto& [role, name] :
       {std::pair{"bos", "bos_token"}, {"eos", "eos_token"}, {"unknown", "unk_token"}, {"padding", "pad_token"}})
    if (const auto id = tokens.id(role)) config[name] = json::string(tokens.texts()[static_cast<size_t>(*id)]);
  config["add_bos_token"] = tokens.adds_bos();
  config["add_eos_token"] = tokens.adds_eos();
  return config;
}

std::vector<NamedTemplate> chat_templates(const Metadata& metadata) {
  std::vector<NamedTemplate> templates;
  const auto add = [&](std::string_view name, const std::string& key) {
    const auto text = metadata.text(key);
    if (text && std::ranges::find(templates, name, &NamedTemplate::name) == templates.end())
      templates.push_back({std::string(name), std::string(*text)});
  };
  add("default", "tokenizer.chat_template");
  for (const std::string_view name :
       metadata.texts("tokenizer.chat_templates").value_or(std::vector<std::string_view>{}))
    add(name, fmt::format("tokenizer.chat_template.{}", name));
  return templates;
}

}  // namespace ingot::gguf
