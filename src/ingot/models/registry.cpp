// One row an architecture.
#include "ingot/models/registry.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "ingot/models/families.h"

namespace ingot {
namespace {

const std::vector<Architecture>& architectures() {
  // Angles that are computed here, and the stray head of a tied model.
  const std::vector<std::string_view> ignored{"*.rotary_emb.inv_freq", "lm_head.weight"};
  static const std::vector<Architecture> rows{
      {"LlamaForCausalLM", read_llama_config, make_llama, ignored},
      {"MistralForCausalLM", read_mistral_config, make_llama, ignored},
      {"Ministral3ForCausalLM", read_ministral3_config, make_llama, ignored},
      {"SmolLM3ForCausalLM", read_smollm3_config, make_llama, ignored},
      {"Qwen2ForCausalLM", read_qwen2_config, make_qwen2, ignored},
      {"Qwen3ForCausalLM", read_qwen3_config, make_qwen3, ignored},
  };
  return rows;
}

}  // namespace

Result<const Architecture*> find_architecture(const boost::json::object& config) {
  std::string known;
  const boost::json::value* names = config.if_contains("architectures");
  for (const Architecture& row : architectures()) {
    if (names && names->is_array()) {
      for (const boost::json::value& name : names->get_array()) {
        if (name.is_string() && std::string_view(name.get_string()) == row.name) return &row;
      }
    }
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return fail(ErrorCode::kUnsupported, fmt::format("the model's architecture {} is not supported yet (there are: {})",
                                                   names ? boost::json::serialize(*names) : "(none named)", known));
}

}  // namespace ingot
