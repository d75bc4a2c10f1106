// decoder<Block>: embedding, blocks, final norm, head. A family is its Block.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ingot/base/log.h"
#include "ingot/core/model_config.h"
#include "ingot/layers/embedding.h"
#include "ingot/layers/residual.h"
#include "ingot/layers/rope.h"
#include "ingot/models/causal_lm.h"
#include "ingot/models/pre_norm_block.h"

namespace ingot {

// Block: Block(const ModelConfig&, const Weights& of the layer, const BlockPlace&); void operator()(Residual&, Step&)
// const; static KvSpec kv_spec(const ModelConfig&, int layer).
template <class Block>
class Decoder final : public CausalLm {
 public:
  Decoder(const ModelConfig& c, const Weights& w)
      : embedding_(w.scope("model.embed_tokens")),
        norm_(w.scope("model.norm"), c.rms_norm_eps),
        head_(make_head(c, w)) {
    check_vocabulary(c);
    for (const RopeConfig& rope : c.ropes) ropes_.emplace_back(rope, c.max_model_len);
    for (int layer = 0; layer < c.num_layers; ++layer) kv_spec_.push_back(Block::kv_spec(c, layer));
    const std::vector<KvPlace> places = place_layers(group_layers(kv_spec_));
    blocks_.reserve(c.num_layers);
    for (int layer = 0; layer < c.num_layers; ++layer) {
      blocks_.emplace_back(c, w.scope("model.layers." + std::to_string(layer)), BlockPlace{layer, places[layer]});
    }
  }

  array hidden(Step& step) const override {
    step.ropes.clear();
    for (const Rope& rope : ropes_) step.ropes.push_back(rope(step.positions));
    Residual h(embedding_(step.ids));
    for (const Block& block : blocks_) block(h, step);
    if (step.out_rows) h.keep_rows(*step.out_rows);
    return h.normed(norm_);
  }

  array logits(const array& hidden) const override { return head_(hidden); }
  std::vector<KvSpec> kv_spec() const override { return kv_spec_; }

 private:
  // Checkpoints that say "untied" but hold no head are tied all the same; a stray head of a tied one is ignored.
  Linear make_head(const ModelConfig& c, const Weights& w) const {
    if (!c.tie_word_embeddings && w.has("lm_head.weight")) return Linear(w, {"lm_head"});
    if (!c.tie_word_embeddings)
      log::warn(
          "the config says that the head is not tied, and there is no lm_head.weight: the embeddings serve as head");
    return embedding_.tied_head();
  }

  // Ids up to the config's are looked up and sampled without further checks.
  void check_vocabulary(const ModelConfig& c) const {
    if (embedding_.vocab_size() == c.vocab_size && head_.out_features() == c.vocab_size) return;
    throw WeightError({ErrorCode::kCorrupt,
                       fmt::format("config: vocab_size is {}, and the embeddings have {} rows, the head {}",
                                   c.vocab_size, embedding_.vocab_size(), head_.out_features()),
                       {}});
  }

  Embedding embedding_;
  RmsNorm norm_;
  Linear head_;
  std::vector<Rope> ropes_;
  std::vector<Block> blocks_;
  std::vector<KvSpec> kv_spec_;
};

template <class Block>
std::unique_ptr<CausalLm> decoder(const ModelConfig& c, const Weights& w) {
  return std::make_unique<Decoder<Block>>(c, w);
}

}  // namespace ingot
