// Reads the fields around sampling.
#include "ingot/api/request_options.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "ingot/api/utf8.h"

namespace ingot::api {
namespace {

constexpr int64_t kMaxSaltCharacters = 1024;

void read_stream(FieldReader& fields, RequestOptions& out) {
  out.stream = fields.boolean("stream").value_or(false);
  const boost::json::object* options = fields.object("stream_options");
  if (!options) return;
  FieldReader reader(*options, fields.errors(), fields.at("stream_options"));
  out.include_usage = reader.boolean("include_usage").value_or(false);
  out.continuous_usage_stats = reader.boolean("continuous_usage_stats").value_or(false) && out.include_usage;
}

void read_cache_salt(FieldReader& fields, RequestOptions& out) {
  const auto salt = fields.string("cache_salt");
  if (!salt) return;
  if (salt->empty()) return fields.wrong("cache_salt", "string_too_short", "String should have at least 1 character");
  if (count_code_points(*salt) > kMaxSaltCharacters) {
    return fields.wrong("cache_salt", "string_too_long", "String should have at most 1024 characters");
  }
  out.cache_salt = *salt;
}

void read_truncation(FieldReader& fields, const ModelDefaults& model, RequestOptions& out) {
  const auto side = fields.literal("truncation_side", {"left", "right"});
  out.truncates_left = side ? *side == "left" : model.truncates_left;
  const auto most = fields.integer("truncate_prompt_tokens");
  if (!most) return;
  if (*most < -1) {
    return fields.wrong("truncate_prompt_tokens", "greater_than_equal", "Input should be greater than or equal to -1");
  }
  out.truncate_prompt_tokens = static_cast<int32_t>(std::min<int64_t>(*most, std::numeric_limits<int32_t>::max()));
}

void read_stream_interval(FieldReader& fields, RequestOptions& out) {
  out.stream_interval = fields.integer("stream_interval").value_or(1);
  if (out.stream_interval >= 1) return;
  fields.wrong("stream_interval", "greater_than_equal", "Input should be greater than or equal to 1");
}

}  // namespace

Parsed<RequestOptions> read_request_options(FieldReader& fields, const ModelDefaults& model) {
  RequestOptions out;
  out.model = fields.string("model").value_or("");
  read_stream(fields, out);
  read_cache_salt(fields, out);
  read_truncation(fields, model, out);
  read_stream_interval(fields, out);
  out.request_id = fields.string("request_id");
  out.priority = fields.integer("priority").value_or(0);
  out.return_token_ids = fields.boolean("return_token_ids").value_or(false);
  out.return_tokens_as_token_ids = fields.boolean("return_tokens_as_token_ids").value_or(false);

  if (out.truncate_prompt_tokens && *out.truncate_prompt_tokens > model.max_model_len) {
    return std::unexpected(semantic_error(
        fmt::format("truncate_prompt_tokens value ({}) is greater than max_model_len ({}). Please, select a "
                    "smaller truncation size.",
                    *out.truncate_prompt_tokens, model.max_model_len),
        "truncate_prompt_tokens", std::to_string(*out.truncate_prompt_tokens)));
  }
  const boost::json::value* options = fields.value("stream_options");
  if (options && options->is_object() && !options->get_object().empty() && !out.stream) {
    return std::unexpected(semantic_error("Stream options can only be defined when `stream=True`.", "stream_options"));
  }
  if (out.model.empty()) {
    out.model = model.model_names.front();
  } else if (std::ranges::count(model.model_names, out.model) == 0) {
    return std::unexpected(unknown_model(out.model));
  }
  return out;
}

}  // namespace ingot::api
