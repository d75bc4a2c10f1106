// One row a projection.
#include "ingot/checkpoint/dummy/tensor_shape.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include <fmt/format.h>

#include "ingot/checkpoint/format_error.h"

namespace ingot::dummy {

namespace {

namespace json = boost::json;

constexpr int64_t kMaxDimension = 1 << 24;
constexpr int64_t kMaxElements = int64_t{1} << 30;  // of one matrix

int64_t positive(const json::object& config, std::string_view key, std::optional<int64_t> fallback = {}) {
  const json::value* const value = config.if_contains(key);
  if ((!value || value->is_null()) && fallback) return *fallback;
  const int64_t* const number = value ? value->if_int64() : nullptr;
  if (!number || *number < 1 || *number > kMaxDimension)
    corrupt(fmt::format("config: {} is {}, must be 1 … {}", key, value ? json::serialize(*value) : "missing",
                        kMaxDimension));
  return *number;
}

using Size = int64_t (*)(const Dimensions&);

struct Projection {
  std::string_view name;
  Size out, in;
};

constexpr std::array kProjections = std::to_array<Projection>({
    {"self_attn.q_proj", [](const Dimensions& d) { return d.queries; }, [](const Dimensions& d) { return d.hidden; }},
    {"self_attn.k_proj", [](const Dimensions& d) { return d.keys; }, [](const Dimensions& d) { return d.hidden; }},
    {"self_attn.v_proj", [](const Dimensions& d) { return d.keys; }, [](const Dimensions& d) { return d.hidden; }},
    {"self_attn.qkv_proj", [](const Dimensions& d) { return d.queries + 2 * d.keys; },
     [](const Dimensions& d) { return d.hidden; }},
    {"self_attn.o_proj", [](const Dimensions& d) { return d.hidden; }, [](const Dimensions& d) { return d.queries; }},
    {"mlp.gate_proj", [](const Dimensions& d) { return d.intermediate; }, [](const Dimensions& d) { return d.hidden; }},
    {"mlp.up_proj", [](const Dimensions& d) { return d.intermediate; }, [](const Dimensions& d) { return d.hidden; }},
    {"mlp.gate_up_proj", [](const Dimensions& d) { return 2 * d.intermediate; },
     [](const Dimensions& d) { return d.hidden; }},
    {"mlp.down_proj", [](const Dimensions& d) { return d.hidden; }, [](const Dimensions& d) { return d.intermediate; }},
});

std::optional<std::vector<int64_t>> shape_in_layer(const Dimensions& d, std::string_view stem, bool is_bias) {
  const auto* const row = std::ranges::find(kProjections, stem, &Projection::name);
  if (row != kProjections.end()) return is_bias ? std::vector{row->out(d)} : std::vector{row->out(d), row->in(d)};
  if (is_bias || !stem.ends_with("norm")) return std::nullopt;
  const bool of_head = stem == "self_attn.q_norm" || stem == "self_attn.k_norm";
  return std::vector{of_head ? d.head : d.hidden};
}

}  // namespace

Dimensions::Dimensions(const json::object& config)
    : hidden(positive(config, "hidden_size")),
      intermediate(positive(config, "intermediate_size")),
      layers(positive(config, "num_hidden_layers")),
      vocabulary(positive(config, "vocab_size")) {
  const int64_t heads = positive(config, "num_attention_heads");
  const int64_t kv_heads = positive(config, "num_key_value_heads", heads);
  head = positive(config, "head_dim", std::max<int64_t>(1, hidden / heads));
  queries = heads * head;
  keys = kv_heads * head;
  const int64_t widest = std::max({vocabulary, 2 * intermediate, queries + 2 * keys});
  if (widest > kMaxElements / std::max(hidden, queries))
    unsupported(fmt::format("config: a matrix of {} × {} is larger than dummy weights can be", widest,
                            std::max(hidden, queries)));
  const json::value* const value = config.if_contains("tie_word_embeddings");
  tied = value && value->is_bool() && value->get_bool();
}

std::optional<std::vector<int64_t>> tensor_shape(const Dimensions& d, std::string_view name) {
  constexpr std::string_view kLayers = "model.layers.";
  const size_t last = name.rfind('.');
  const std::string_view suffix = last == name.npos ? "" : name.substr(last);
  if (suffix != ".weight" && suffix != ".bias") return std::nullopt;
  const std::string_view stem = name.substr(0, last);
  if (stem == "model.embed_tokens" || (stem == "lm_head" && !d.tied))
    return suffix == ".weight" ? std::optional(std::vector{d.vocabulary, d.hidden}) : std::nullopt;
  if (stem == "model.norm") return suffix == ".weight" ? std::optional(std::vector{d.hidden}) : std::nullopt;
  if (!stem.starts_with(kLayers)) return std::nullopt;
  int64_t layer = 0;
  const char* const end = stem.data() + stem.size();
  const auto [rest, error] = std::from_chars(stem.data() + kLayers.size(), end, layer);
  if (error != std::errc() || rest == end || *rest != '.' || layer < 0 || layer >= d.layers) return std::nullopt;
  return shape_in_layer(d, {rest + 1, end}, suffix == ".bias");
}

}  // namespace ingot::dummy
