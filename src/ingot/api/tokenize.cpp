// Reads and writes the bodies of /tokenize and /detokenize.
#include "ingot/api/tokenize.h"

#include <limits>
#include <utility>

#include "ingot/api/field_reader.h"
#include "ingot/api/json_reader.h"
#include "ingot/api/json_writer.h"
#include "ingot/api/request_options.h"

namespace ingot::api {

Parsed<TokenizeRequest> parse_tokenize_request(std::string_view body, const ModelDefaults& model) {
  const auto object = parse_body(body);
  if (!object) return std::unexpected(object.error());
  SchemaErrors errors;
  FieldReader fields(*object, errors);
  const auto options = read_request_options(fields, model);
  TokenizeRequest request;
  request.prompt = fields.string("prompt");
  request.add_special_tokens = fields.boolean("add_special_tokens").value_or(true);
  request.return_token_strs = fields.boolean("return_token_strs").value_or(false);
  if (!fields.has("prompt") && !fields.has("messages")) fields.missing("prompt");
  if (!errors.empty()) return std::unexpected(errors.to_error());
  if (!options) return std::unexpected(options.error());
  return request;
}

Parsed<std::vector<int32_t>> parse_detokenize_request(std::string_view body, const ModelDefaults& model) {
  const auto object = parse_body(body);
  if (!object) return std::unexpected(object.error());
  SchemaErrors errors;
  FieldReader fields(*object, errors);
  const auto options = read_request_options(fields, model);
  const auto tokens = fields.integers("tokens");
  if (!fields.has("tokens")) fields.missing("tokens");
  std::vector<int32_t> ids;
  if (tokens) ids.reserve(tokens->size());
  for (const int64_t id : tokens.value_or(std::vector<int64_t>())) {
    if (id < 0) {
      fields.wrong("tokens", "greater_than_equal", "Input should be greater than or equal to 0");
      break;
    }
    if (id > std::numeric_limits<int32_t>::max()) {
      return std::unexpected(semantic_error("Token id is out of vocabulary.", "tokens", std::to_string(id)));
    }
    ids.push_back(static_cast<int32_t>(id));
  }
  if (!errors.empty()) return std::unexpected(errors.to_error());
  if (!options) return std::unexpected(options.error());
  return ids;
}

std::string tokenize_body(std::span<const int32_t> ids, const std::optional<std::vector<std::string>>& pieces,
                          int32_t max_model_len) {
  JsonWriter out;
  out.open_object().integer("count", static_cast<int64_t>(ids.size())).integer("max_model_len", max_model_len);
  out.key("tokens").open_array();
  for (const int32_t id : ids) out.integer(id);
  out.close_array();
  if (pieces) {
    out.key("token_strs").open_array();
    for (const std::string& piece : *pieces) out.string(piece);
    out.close_array();
  } else {
    out.null("token_strs");
  }
  return out.close_object().take();
}

std::string detokenize_body(std::string_view text) {
  return JsonWriter().open_object().string("prompt", text).close_object().take();
}

}  // namespace ingot::api
