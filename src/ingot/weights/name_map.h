// Tensor names and row orders of GGUF files in Hugging Face's terms (gguf-py's tensor_mapping, llama.cpp's converters).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ingot {

// The Hugging Face name of a GGUF tensor: "blk.3.attn_q.weight" → "model.layers.3.self_attn.q_proj.weight". Absent for
// names outside the map, and "" for tensors whose content the checkpoint's config already carries (rope_freqs).
std::optional<std::string> hugging_face_name(std::string_view gguf_name);

// Converters of Llama's kind store a head's rows as pairs (0, D/2, 1, D/2 + 1, …) for interleaved rope; half-split rope
// wants the halves back.
struct RowOrder {
  int64_t head_dim = 0;  // 0: rows are stored in order

  // Which stored row is row `row` of the Hugging Face tensor.
  int64_t stored(int64_t row) const {
    if (head_dim == 0) return row;
    const int64_t half = head_dim / 2, in_head = row % head_dim;
    return row - in_head + 2 * (in_head % half) + in_head / half;
  }
};

// Whether rows of this tensor (Hugging Face name) are stored as pairs under a GGUF architecture.
bool rows_are_paired(std::string_view gguf_architecture, std::string_view name);

}  // namespace ingot
