// A chat's messages and settings, and the /commands that act on them. No terminal, no server.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "ingot/base/result.h"

namespace ingot::cli {

// The sampling settings of a chat or completion, by the names of the request's fields.
class Settings {
 public:
  explicit Settings(boost::json::object fields = {}) : fields_(std::move(fields)) {}

  // "temperature 0.7" sets, "temperature none" forgets, "" lists. Returns the line to show. Errors: an unknown name,
  // with the nearest known one; a value of the wrong type.
  Result<std::string> set(std::string_view text);

  const boost::json::object& fields() const { return fields_; }

 private:
  boost::json::object fields_;
};

class Conversation {
 public:
  Conversation(std::string system_prompt, Settings settings);

  // The request that answers the messages so far; the caller adds the model.
  boost::json::object request() const;

  void add_user(std::string text);
  void add_assistant(std::string text);
  void take_back_user();  // the last message, which got no reply

  // /regenerate: forgets the last reply. False where there is none.
  bool take_back_reply();
  void clear();  // all but the system prompt
  void set_system(std::string text);

  // A JSON file of messages and settings. Errors: kIo, kCorrupt, naming the file.
  Status save(const std::string& path) const;
  Status load(const std::string& path);

  Settings& settings() { return settings_; }
  size_t num_messages() const { return messages_.size(); }  // without the system prompt

 private:
  std::string system_prompt_;  // "" = none
  boost::json::array messages_;
  Settings settings_;
};

}  // namespace ingot::cli
