// Model cards.
#include "ingot/api/models.h"

#include "ingot/api/json_writer.h"
#include "ingot/api/reply_id.h"

namespace ingot::api {

std::string models_body(const ModelDefaults& model, std::string_view root, int64_t created) {
  JsonWriter out;
  out.open_object().string("object", "list").key("data").open_array();
  for (const std::string& name : model.model_names) {
    out.open_object().string("id", name).string("object", "model").integer("created", created);
    out.string("owned_by", "vllm").string("root", root).null("parent").integer("max_model_len", model.max_model_len);
    out.key("permission").open_array().open_object();
    out.string("id", "modelperm-" + random_hex(16)).string("object", "model_permission").integer("created", created);
    out.boolean("allow_create_engine", false).boolean("allow_sampling", true).boolean("allow_logprobs", true);
    out.boolean("allow_search_indices", false).boolean("allow_view", true).boolean("allow_fine_tuning", false);
    out.string("organization", "*").null("group").boolean("is_blocking", false);
    out.close_object().close_array().close_object();
  }
  out.close_array().close_object();
  return out.take();
}

}  // namespace ingot::api
