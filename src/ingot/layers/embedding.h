// Token embeddings; a tied head reads the same table.
#pragma once

#include "ingot/layers/linear.h"
#include "ingot/ops/embedding/embedding.h"

namespace ingot {

class Embedding {
 public:
  explicit Embedding(const Weights& w) : table_(w.linear({"weight"})) {}

  array operator()(const array& ids) const { return embedding(ids, table_); }  // int32[T] → float32[T, hidden]
  int vocab_size() const { return table_.out_features; }
  Linear tied_head() const { return Linear(table_); }  // shares the table's memory

 private:
  PackedWeight table_;
};

}  // namespace ingot
