// Messages as the API takes them, so that saving and sending are one form.
#include "ingot/cli/conversation.h"

#include <array>
#include <fstream>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ingot/config/arguments.h"

namespace ingot::cli {

namespace json = boost::json;

namespace {

// clang-format off
const std::vector<std::string> kSettings = {
    "temperature", "top_p", "top_k", "min_p", "seed", "max_tokens", "min_tokens", "stop", "repetition_penalty",
    "frequency_penalty", "presence_penalty", "ignore_eos"};
// clang-format on

// A number, true or false, a JSON list, or plain text.
json::value parse_value(std::string_view text) {
  boost::system::error_code ec;
  json::value value = json::parse(text, ec);
  return ec ? json::value(text) : value;
}

bool fits(std::string_view name, const json::value& value) {
  if (name == "stop") return value.is_string() || value.is_array();
  if (name == "ignore_eos") return value.is_bool();
  return value.is_number();
}

std::string_view trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

json::object message(std::string_view role, std::string text) { return {{"role", role}, {"content", std::move(text)}}; }

bool has_role(const json::value& message, std::string_view role) {
  const json::value* found = message.is_object() ? message.get_object().if_contains("role") : nullptr;
  return found && found->is_string() && found->get_string() == role;
}

bool is_message(const json::value& value) {
  const json::object* object = value.if_object();
  const json::value* content = object ? object->if_contains("content") : nullptr;
  const json::value* role = object ? object->if_contains("role") : nullptr;
  return role && role->is_string() && content && (content->is_string() || content->is_array());
}

Result<json::value> read_json(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return fail(ErrorCode::kIo, fmt::format("cannot read {}", path));
  boost::system::error_code ec;
  json::value value = json::parse(text.str(), ec);
  if (ec) return fail(ErrorCode::kCorrupt, fmt::format("{} is no JSON: {}", path, ec.message()));
  return value;
}

}  // namespace

Result<std::string> Settings::set(std::string_view text) {
  text = trim(text);
  if (text.empty()) {
    std::string list;
    for (const auto& [name, value] : fields_) list += fmt::format("{} {}\n", std::string(name), json::serialize(value));
    return list + fmt::format("Settings: {}", fmt::join(kSettings, ", "));
  }
  const size_t space = std::min(text.find_first_of(" \t="), text.size());
  std::string name(text.substr(0, space));
  std::ranges::replace(name, '-', '_');
  const std::string_view rest = trim(text.substr(std::min(space + 1, text.size())));
  if (std::ranges::find(kSettings, name) == kSettings.end()) {
    const std::string near = nearest(name, kSettings);
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("no setting '{}'{}", name, near.empty() ? "" : "; did you mean " + near + "?"));
  }
  if (rest.empty())
    return fail(ErrorCode::kInvalidArgument, fmt::format("what should {} be? Example: /set {} 0.7", name, name));
  if (rest == "none" || rest == "default") {
    fields_.erase(name);
    return fmt::format("{} is the server's default", name);
  }
  json::value value = parse_value(rest);
  if (!fits(name, value))
    return fail(ErrorCode::kInvalidArgument, fmt::format("{} takes {}, not {}", name,
                                                         name == "ignore_eos" ? "true or false"
                                                         : name == "stop"     ? "a text or a list of texts"
                                                                              : "a number",
                                                         rest));
  fields_[name] = std::move(value);
  return fmt::format("{} = {}", name, json::serialize(fields_[name]));
}

Conversation::Conversation(std::string system_prompt, Settings settings)
    : system_prompt_(std::move(system_prompt)), settings_(std::move(settings)) {}

json::object Conversation::request() const {
  json::array messages;
  if (!system_prompt_.empty()) messages.push_back(message("system", system_prompt_));
  messages.insert(messages.end(), messages_.begin(), messages_.end());
  json::object request = settings_.fields();
  request["messages"] = std::move(messages);
  return request;
}

void Conversation::add_user(std::string text) { messages_.push_back(message("user", std::move(text))); }
void Conversation::add_assistant(std::string text) { messages_.push_back(message("assistant", std::move(text))); }
void Conversation::take_back_user() { messages_.pop_back(); }

bool Conversation::take_back_reply() {
  if (messages_.empty()) return false;
  if (has_role(messages_.back(), "assistant")) messages_.pop_back();
  return !messages_.empty();
}

void Conversation::clear() { messages_.clear(); }
void Conversation::set_system(std::string text) { system_prompt_ = std::move(text); }

Status Conversation::save(const std::string& path) const {
  std::ofstream file(path, std::ios::binary);
  json::object all = request();
  json::value messages = std::move(all["messages"]);
  all.erase("messages");
  file << json::serialize(json::object{{"messages", std::move(messages)}, {"settings", std::move(all)}}) << '\n';
  file.close();
  if (!file) return fail(ErrorCode::kIo, fmt::format("cannot write {}", path));
  return {};
}

Status Conversation::load(const std::string& path) {
  Result<json::value> read = read_json(path);
  if (!read) return std::unexpected(read.error());
  const json::value* list = read->is_object() ? read->get_object().if_contains("messages") : &*read;
  if (!list || !list->is_array() || !std::ranges::all_of(list->get_array(), is_message))
    return fail(ErrorCode::kCorrupt,
                fmt::format("{} holds no conversation: a list of messages with role and content", path));
  json::array messages = list->get_array();
  std::string system;
  if (!messages.empty() && has_role(messages.front(), "system") && messages.front().at("content").is_string()) {
    system = json::value_to<std::string>(messages.front().at("content"));
    messages.erase(messages.begin());
  }
  if (const json::value* settings = read->is_object() ? read->get_object().if_contains("settings") : nullptr)
    settings_ = Settings(settings->is_object() ? settings->get_object() : json::object());
  system_prompt_ = std::move(system);
  messages_ = std::move(messages);
  return {};
}

}  // namespace ingot::cli
