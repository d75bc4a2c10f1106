// Chat templates: the C++ face of the `minijinja` crate, with what Hugging Face's templates use.
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "ingot/base/result.h"

namespace ingot {

// Immutable after compilation; render() may be called from any thread at once.
class ChatTemplate {
 public:
  // Errors: kInvalidArgument with line and reason.
  static Result<std::shared_ptr<const ChatTemplate>> compile(std::string_view source);
  ~ChatTemplate();
  ChatTemplate(const ChatTemplate&) = delete;
  ChatTemplate& operator=(const ChatTemplate&) = delete;

  // `variables`: messages, tools, add_generation_prompt, bos_token, eos_token, and kwargs; key order is kept.
  // Errors: kInvalidArgument with the template's own raise_exception text or the render error.
  // strftime_now formats `now` in local time.
  Result<std::string> render(const boost::json::object& variables, std::time_t now = std::time(nullptr)) const;

 private:
  struct Impl;
  explicit ChatTemplate(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingot
