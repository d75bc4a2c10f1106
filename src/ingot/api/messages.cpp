// Normalises messages part by part, as vLLM's chat utilities do.
#include "ingot/api/messages.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include "ingot/api/python_repr.h"

namespace ingot::api {
namespace {

namespace json = boost::json;
using Fault = std::optional<ApiError>;

// Keys that tell a part's kind where `type` is absent.
constexpr std::string_view kKindKeys[] = {"text",         "image_url", "image_embeds", "input_audio",   "audio_url",
                                          "audio_embeds", "video_url", "video_embeds", "prompt_embeds", "refusal"};
// Text kinds and the key that holds their text.
constexpr std::pair<std::string_view, std::string_view> kTextKinds[] = {{"text", "text"},
                                                                        {"input_text", "text"},
                                                                        {"output_text", "text"},
                                                                        {"refusal", "refusal"},
                                                                        {"thinking", "thinking"}};
constexpr std::string_view kMediaKinds[] = {"image_url",    "input_image", "image_embeds", "input_audio",  "audio_url",
                                            "audio_embeds", "video_url",   "video_embeds", "prompt_embeds"};

std::string_view kind_of(const json::object& part) {
  if (const json::value* type = part.if_contains("type"); type && type->is_string()) return type->get_string();
  for (std::string_view key : kKindKeys) {
    if (part.contains(key)) return key;
  }
  return "";
}

class MessageReader {
 public:
  MessageReader(FieldReader fields, const ChatDefaults& chat) : fields_(std::move(fields)), chat_(chat) {}

  // The normalised message, or a fault; schema errors were noted.
  Fault read(json::object& out) {
    const auto role = fields_.string("role");
    if (!role && !fields_.has("role")) fields_.missing("role");
    const bool rename = role == "developer" && !chat_.has_developer_role;
    out["role"] = rename ? "system" : role.value_or("");
    if (Fault fault = content(role == "tool", out)) return fault;
    if (role == "assistant") {
      if (Fault fault = tool_calls(out)) return fault;
      reasoning(out);
    }
    if (role == "tool") copy_string("tool_call_id", out);
    copy_string("name", out);
    copy_string("task", out);
    return std::nullopt;
  }

 private:
  // `content`: a text, a list of parts, or nothing. A tool's parts are joined whatever the format.
  Fault content(bool is_tool, json::object& out) {
    const json::value* content = fields_.value("content");
    const bool keep_parts = chat_.content_format == ContentFormat::kParts;
    json::array parts;
    if (content && content->is_string()) {
      parts.push_back(text_part(content->get_string()));
    } else if (content && content->is_array()) {
      for (size_t i = 0; i < content->get_array().size(); ++i) {
        if (Fault fault = part(content->get_array()[i], static_cast<int64_t>(i), parts)) return fault;
      }
    } else if (content) {
      fields_.wrong("content", "string_type", "Input should be a valid string or a list of content parts");
    }
    if (keep_parts && !is_tool) {
      out["content"] = std::move(parts);
      return std::nullopt;
    }
    json::string joined;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) joined += '\n';
      joined += parts[i].at("text").get_string();
    }
    out["content"] = std::move(joined);
    return std::nullopt;
  }

  static json::object text_part(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

  // Appends one part to `out`; a text part whose text is null is left out.
  Fault part(const json::value& part, int64_t index, json::array& out) {
    if (part.is_string()) {
      out.push_back(text_part(part.get_string()));
      return std::nullopt;
    }
    Location location = fields_.at("content");
    location.emplace_back(index);
    if (!part.is_object()) {
      fields_.errors().add("dict_type", location, "Input should be a valid dictionary", part);
      return std::nullopt;
    }
    const json::object& object = part.get_object();
    const std::string_view kind = kind_of(object);
    for (const auto& [text_kind, key] : kTextKinds) {
      if (kind != text_kind) continue;
      FieldReader fields(object, fields_.errors(), std::move(location));
      if (const auto text = fields.string(key)) out.push_back(text_part(*text));
      return std::nullopt;
    }
    if (kind.empty()) return semantic_error("Missing 'type' field in a content part.", "type");
    for (std::string_view media : kMediaKinds) {
      if (kind == media) {
        return semantic_error(
            fmt::format("Content parts of type '{}' are not supported: this model reads text only.", kind), kind);
      }
    }
    const std::string shown(kind.substr(0, 100));
    return semantic_error(fmt::format("Unsupported chat content part type: '{}'.", shown), "type", shown);
  }

  Fault tool_calls(json::object& out) {
    const json::array* calls = fields_.array("tool_calls");
    if (!calls || calls->empty()) return std::nullopt;
    json::array normalised;
    for (const json::value& call : *calls) {
      if (!call.is_object()) return semantic_error("assistant tool_calls entries must be objects.", "tool_calls");
      json::object copy = call.get_object();
      const json::value* type = copy.if_contains("type");
      json::value* function = copy.if_contains("function");
      if ((type && *type != "function") || !function || !function->is_object()) {
        return semantic_error("chat completions only support assistant tool_calls of type 'function'.", "tool_calls");
      }
      parse_arguments(function->get_object());
      normalised.push_back(std::move(copy));
    }
    out["tool_calls"] = std::move(normalised);
    return std::nullopt;
  }

  // Templates index into arguments: whatever is no JSON object becomes {}.
  static void parse_arguments(json::object& function) {
    json::value& arguments = function["arguments"];
    if (arguments.is_string()) {
      json::error_code failure;
      json::parse_options options;
      options.max_depth = 128;
      arguments = json::parse(std::string(arguments.get_string()), failure, {}, options);
    }
    if (!arguments.is_object()) arguments = json::object();
  }

  void reasoning(json::object& out) {
    const std::string_view field = fields_.has("reasoning") ? "reasoning" : "reasoning_content";
    const auto text = fields_.string(field);
    if (!text) return;
    out["reasoning"] = *text;
    out["reasoning_content"] = *text;
  }

  void copy_string(std::string_view field, json::object& out) {
    const json::value* value = fields_.value(field);
    if (value && value->is_string()) out[field] = *value;
  }

  FieldReader fields_;
  const ChatDefaults& chat_;
};

}  // namespace

Parsed<json::array> read_messages(FieldReader& fields, const ChatDefaults& chat) {
  if (!fields.has("messages")) {
    fields.missing("messages");
    return json::array();
  }
  const json::array* messages = fields.array("messages");
  if (!messages) return json::array();
  if (messages->empty()) return std::unexpected(semantic_error("`messages` must not be empty.", "messages"));
  json::array out;
  out.reserve(messages->size());
  Fault first;
  for (size_t i = 0; i < messages->size(); ++i) {
    Location location = fields.at("messages");
    location.emplace_back(static_cast<int64_t>(i));
    const json::value& message = (*messages)[i];
    if (!message.is_object()) {
      fields.errors().add("dict_type", location, "Input should be a valid dictionary", message);
      continue;
    }
    FieldReader reader(message.get_object(), fields.errors(), std::move(location));
    json::object normalised;
    Fault fault = MessageReader(std::move(reader), chat).read(normalised);
    if (fault && !first) first = std::move(fault);
    out.push_back(std::move(normalised));
  }
  if (first) return std::unexpected(*std::move(first));
  return out;
}

}  // namespace ingot::api
