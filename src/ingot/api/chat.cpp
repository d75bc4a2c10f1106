// Parses POST /v1/chat/completions.
#include "ingot/api/chat.h"

#include <utility>

#include "ingot/api/field_reader.h"
#include "ingot/api/json_reader.h"
#include "ingot/api/messages.h"
#include "ingot/api/python_repr.h"

namespace ingot::api {
namespace {

namespace json = boost::json;

// Tools are not there yet: given with tool_choice "none" they are left out of the prompt, else refused.
std::optional<ApiError> check_tools(FieldReader& fields) {
  const json::array* tools = fields.array("tools");
  const json::value* choice = fields.value("tool_choice");
  if (tools && tools->empty()) {
    return semantic_error(
        "`tools` must not be an empty array. Either provide at least one tool or omit the field entirely.", "tools");
  }
  if (choice && *choice == "none") return std::nullopt;
  if (choice && !choice->is_object() && *choice != "auto" && *choice != "required") {
    return semantic_error("Invalid value for `tool_choice`: " + python_text(*choice) +
                              "! Only named tools, \"none\", \"auto\" or \"required\" are supported.",
                          "tool_choice");
  }
  if (choice && !tools) return semantic_error("When using `tool_choice`, `tools` must be set.", "tool_choice");
  if (tools) return unsupported("tools", python_text(*tools), "Send tool_choice \"none\" to go on without them.");
  return std::nullopt;
}

// `generate` and `proceed`: add_generation_prompt and continue_final_message.
std::optional<ApiError> check_continuation(const FieldReader& fields, bool generate, bool proceed) {
  if (!generate || !proceed) return std::nullopt;
  return semantic_error(fields.has("add_generation_prompt")
                            ? "Cannot set both `continue_final_message` and `add_generation_prompt` to True."
                            : "`continue_final_message` needs `add_generation_prompt` set to False.",
                        "continue_final_message");
}

// The text of a normalised message: its content, or its last part's.
std::string text_of(const json::object& message) {
  const json::value& content = message.at("content");
  if (content.is_string()) return std::string(content.get_string());
  const json::array& parts = content.get_array();
  return parts.empty() ? "" : std::string(parts.back().at("text").get_string());
}

void add_absent(json::object& variables, const json::object& more) {
  for (const auto& [key, value] : more) variables.insert(json::object::value_type(key, value));
}

// Everything but `messages`; what the request's own fields say wins over its kwargs, and these over the server's.
void add_variables(FieldReader& fields, const ChatDefaults& chat, json::object& variables) {
  variables["tools"] = nullptr;
  if (const json::array* documents = fields.array("documents")) variables["documents"] = *documents;
  variables["add_generation_prompt"] = fields.boolean("add_generation_prompt").value_or(true);
  variables["continue_final_message"] = fields.boolean("continue_final_message").value_or(false);
  const json::object* kwargs = fields.object("chat_template_kwargs");
  const auto effort = fields.literal("reasoning_effort", {"none", "minimal", "low", "medium", "high", "xhigh", "max"});
  if (effort) {
    variables["reasoning_effort"] = *effort;
    if (!kwargs || !kwargs->contains("enable_thinking")) variables["enable_thinking"] = *effort != "none";
  }
  if (kwargs) add_absent(variables, *kwargs);
  add_absent(variables, chat.template_kwargs);
}

}  // namespace

Parsed<ChatRequest> parse_chat_request(std::string_view body, const ModelDefaults& model) {
  const auto object = parse_body(body);
  if (!object) return std::unexpected(object.error());
  SchemaErrors errors;
  FieldReader fields(*object, errors);
  ChatRequest out;
  auto options = read_request_options(fields, model);
  auto messages = read_messages(fields, model.chat);
  out.variables["messages"] = nullptr;  // first in order
  add_variables(fields, model.chat, out.variables);
  auto sampling = read_sampling_fields(fields, Endpoint::kChat, model);
  auto tools_fault = check_tools(fields);
  out.chat_template = fields.string("chat_template");
  out.return_prompt_text = fields.boolean("return_prompt_text").value_or(false);
  out.add_special_tokens = fields.boolean("add_special_tokens").value_or(false);

  if (!errors.empty()) return std::unexpected(errors.to_error());
  if (!options) return std::unexpected(std::move(options.error()));
  if (!messages) return std::unexpected(std::move(messages.error()));
  if (!sampling) return std::unexpected(std::move(sampling.error()));
  if (tools_fault) return std::unexpected(*std::move(tools_fault));
  if (out.chat_template && !model.chat.trusts_request_template) {
    return std::unexpected(
        semantic_error("Chat template is passed with request, but --trust-request-chat-template is not "
                       "set. Refused request with untrusted chat template.",
                       "chat_template"));
  }
  const bool generate = out.variables["add_generation_prompt"].get_bool();
  const bool proceed = out.variables["continue_final_message"].get_bool();
  if (auto fault = check_continuation(fields, generate, proceed)) return std::unexpected(*std::move(fault));

  const json::object& last = messages->back().get_object();
  out.last_role = last.at("role").get_string();
  out.last_text = text_of(last);
  if (!generate) out.reply_role = out.last_role;
  if (proceed) out.continued_text = out.last_text;
  out.options = *std::move(options);
  out.sampling = *std::move(sampling);
  out.variables["messages"] = *std::move(messages);
  return out;
}

Parsed<std::string> cut_to_continue(std::string rendered, std::string_view text) {
  const auto is_space = [](char c) { return std::string_view(" \t\n\r\f\v").find(c) != std::string_view::npos; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  std::string_view stripped = text;
  while (!stripped.empty() && is_space(stripped.back())) stripped.remove_suffix(1);
  const size_t start = rendered.rfind(stripped);
  if (start == std::string::npos) {
    return std::unexpected(
        semantic_error("continue_final_message is set but the final message does not appear in the rendered chat.",
                       "continue_final_message"));
  }
  const bool keeps_spacing = std::string_view(rendered).substr(start, text.size()) == text;
  rendered.resize(start + (keeps_spacing ? text.size() : stripped.size()));
  return rendered;
}

}  // namespace ingot::api
