// The map of dense decoders.
#include "ingot/weights/name_map.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace ingot {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::array kGlobals = std::to_array<Pair>({
    {"token_embd", "model.embed_tokens"},
    {"output_norm", "model.norm"},
    {"output", "lm_head"},
});

constexpr std::array kOfLayer = std::to_array<Pair>({
    {"attn_norm", "input_layernorm"},
    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},
    {"attn_output", "self_attn.o_proj"},
    {"attn_q_norm", "self_attn.q_norm"},
    {"attn_k_norm", "self_attn.k_norm"},
    {"ffn_norm", "post_attention_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},
    {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
});

std::optional<std::string> look_up(std::span<const Pair> map, std::string_view name) {
  const auto found = std::ranges::find(map, name, &Pair::first);
  return found == map.end() ? std::nullopt : std::optional(std::string(found->second));
}

}  // namespace

std::optional<std::string> hugging_face_name(std::string_view gguf_name) {
  if (gguf_name == "rope_freqs.weight") return "";
  const size_t dot = gguf_name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view stem = gguf_name.substr(0, dot), suffix = gguf_name.substr(dot);
  if (suffix != ".weight" && suffix != ".bias") return std::nullopt;
  if (!stem.starts_with("blk.")) {
    const auto name = look_up(kGlobals, stem);
    return name ? std::optional(*name + std::string(suffix)) : std::nullopt;
  }
  const size_t end = stem.find('.', 4);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view layer = stem.substr(4, end - 4);
  const auto name = look_up(kOfLayer, stem.substr(end + 1));
  if (!name || layer.empty() || !std::ranges::all_of(layer, [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  return "model.layers." + std::string(layer) + "." + *name + std::string(suffix);
}

bool rows_are_paired(std::string_view gguf_architecture, std::string_view name) {
  const bool pairs = gguf_architecture == "llama" || gguf_architecture == "smollm3";
  return pairs && (name.find(".self_attn.q_proj.") != std::string_view::npos ||
                   name.find(".self_attn.k_proj.") != std::string_view::npos);
}

}  // namespace ingot
