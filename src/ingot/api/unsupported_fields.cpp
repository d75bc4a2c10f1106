// The table of what is not there yet.
#include "ingot/api/unsupported_fields.h"

#include <array>
#include <string_view>

#include <boost/json/parse.hpp>

#include "ingot/api/lax.h"
#include "ingot/api/python_repr.h"

namespace ingot::api {
namespace {

namespace json = boost::json;

enum Where { kBoth, kOnlyCompletions, kOnlyChat };

struct Row {
  std::string_view field;
  std::string_view default_json;  // the value that asks for nothing; null always does
  Where where = kBoth;
};

constexpr Row kUnsupported[] = {
    {"structured_outputs", "null"},
    {"thinking_token_budget", "-1"},
    {"vllm_xargs", "{}"},
    {"kv_transfer_params", "{}"},
    {"ec_transfer_params", "{}"},
    {"suffix", "null", kOnlyCompletions},
    {"prompt_embeds", "[]", kOnlyCompletions},
    {"media_io_kwargs", "{}", kOnlyChat},
    {"mm_processor_kwargs", "{}", kOnlyChat},
};

bool is_default(const json::value& value, std::string_view default_json) {
  const json::value wanted = json::parse(default_json);
  if (wanted.is_bool()) return lax_boolean(value) == wanted.get_bool();
  if (wanted.is_number()) return lax_number(value) == wanted.to_number<double>();
  return value == wanted;
}

}  // namespace

std::optional<ApiError> refuse_unsupported(const FieldReader& fields, Endpoint endpoint) {
  const Where here = endpoint == Endpoint::kChat ? kOnlyChat : kOnlyCompletions;
  for (const Row& row : kUnsupported) {
    if (row.where != kBoth && row.where != here) continue;
    const json::value* value = fields.value(row.field);
    if (value && !is_default(*value, row.default_json)) return unsupported(row.field, python_text(*value));
  }
  const json::value* format = fields.value("response_format");
  if (!format) return std::nullopt;
  const json::value* type = format->is_object() ? format->get_object().if_contains("type") : nullptr;
  if (type && *type == "text") return std::nullopt;
  if (type && *type == "json_schema" && !format->get_object().contains("json_schema")) {
    return semantic_error("When response_format type is 'json_schema', the 'json_schema' field must be provided.",
                          "response_format");
  }
  return unsupported("response_format", python_text(*format), "Only {'type': 'text'} is.");
}

}  // namespace ingot::api
