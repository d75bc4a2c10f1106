// What the user said about which files make up the model, and how they are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/json/object.hpp>

namespace ingot {

enum class LoadFormat {
  kAuto,  // by what the path holds, safetensors first
  kSafetensors,
  kGguf,
  kDummy,  // config.json alone; weights are random, the same for the same seed
};

// How dense matrices are kept. Quantised ones stay as stored whatever is said.
enum class WeightDtype { kAuto, kFloat16, kBfloat16, kFloat32 };  // auto: as stored

struct ModelSource {
  std::string model;  // a reference for hub/; "" = the default model
  LoadFormat load_format = LoadFormat::kAuto;
  WeightDtype dtype = WeightDtype::kAuto;
  boost::json::object hf_overrides = {};          // laid over config.json, nested objects key by key
  std::string tokenizer;                          // a folder or tokenizer.json; "" = the model's
  std::string generation_config = "auto";         // auto: the model's, vllm: no sampling defaults of it, else a folder
  boost::json::object generation_overrides = {};  // laid over generation_config.json
  std::string chat_template;                      // the path of a file, or the text of one; "" = the model's
  std::optional<int32_t> max_model_len;           // absent: the model's own
  bool fit_max_model_len = false;                 // lower it to what the KV cache holds
  int64_t seed = 0;  // of dummy weights, and of requests that name none; −1 = another at every start
};

}  // namespace ingot
