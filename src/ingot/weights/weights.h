// Turns a checkpoint's tensors into arrays, under Hugging Face's names, and sees that none is missing or forgotten.
//
//   WeightSource source(checkpoint);
//   model = make_llama(config, source.root());   // layers read what they need
//   source.finish(ignored);                      // nothing may be left
//
// All of it on MLX's thread. Errors are thrown as WeightError, naming the tensor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingot/checkpoint/checkpoint.h"
#include "ingot/core/model_source.h"
#include "ingot/tensor/packed_weight.h"
#include "ingot/weights/weight_error.h"

namespace ingot {

class WeightSource;

// A cursor at one scope of the names. Copy freely; it must not outlive its source.
class Weights {
 public:
  Weights scope(std::string_view name) const;  // scope("model").scope("norm") reads "model.norm.…"
  bool has(std::string_view name) const;

  // A matrix [out, in], packed; several names give their rows one below the other. Rows of different types are allowed
  // where one format holds all exactly (pack.h), else kUnsupported. Plain floats take the source's dtype first;
  // kInvalidArgument where one is too large for it.
  PackedWeight linear(const std::vector<std::string>& names) const;

  // One-dimensional, stored as F32, F16 or BF16: float32[n]. Several names give one after the other.
  array vector(std::string_view name) const;
  array vectors(const std::vector<std::string>& names) const;

 private:
  friend class WeightSource;
  Weights(WeightSource* source, std::string prefix) : source_(source), prefix_(std::move(prefix)) {}

  WeightSource* source_;
  std::string prefix_;  // "" or "a.b."
};

struct LoadProgress {
  uint64_t bytes_read = 0, bytes_total = 0;  // as stored
};

class WeightSource {
 public:
  using OnProgress = std::function<void(const LoadProgress&)>;  // after each read, on the caller's thread

  // `checkpoint` must outlive the source; `dtype` is that of dense matrices. Reading drops the pages it has read, so
  // that memory holds the weights once.
  explicit WeightSource(const Checkpoint& checkpoint, WeightDtype dtype = WeightDtype::kAuto,
                        OnProgress on_progress = {});
  ~WeightSource();

  Weights root() { return {this, ""}; }

  // Every tensor must have been read or match one of the shell patterns (Hugging Face's names); the latter are logged.
  void finish(std::span<const std::string_view> ignored);

  // Names what was read, by content: 64 hexadecimal digits of SHA-256 over names, types, shapes and 128-bit content
  // hashes, taken while packing. Equal digests mean equal weights, accidents aside. Call after finish().
  std::string digest() const;

  uint64_t bytes() const;  // of the arrays handed out

 private:
  friend class Weights;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ingot
