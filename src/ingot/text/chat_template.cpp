// ChatTemplate over the `minijinja` crate's bridge.
#include "ingot/text/chat_template.h"

#include <stdexcept>
#include <utility>

#include <rust/cxx.h>

#include "ingot/rust/template.h"

namespace ingot {

struct ChatTemplate::Impl {
  rust::Box<bridge::Template> crate;
};

ChatTemplate::ChatTemplate(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ChatTemplate::~ChatTemplate() = default;

Result<std::shared_ptr<const ChatTemplate>> ChatTemplate::compile(std::string_view source) try {
  auto impl = std::make_unique<Impl>(bridge::compile_template({source.data(), source.size()}));
  return std::shared_ptr<const ChatTemplate>(new ChatTemplate(std::move(impl)));
} catch (const std::invalid_argument&) {
  return fail(ErrorCode::kInvalidArgument, "chat template: not valid UTF-8", "chat_template");
} catch (const rust::Error& error) {
  return fail(ErrorCode::kInvalidArgument, std::string("chat template: ") + error.what(), "chat_template");
}

Result<std::string> ChatTemplate::render(const boost::json::object& variables, std::time_t now) const try {
  const std::string json = boost::json::serialize(variables);
  return std::string(impl_->crate->render(json, now));
} catch (const std::invalid_argument&) {
  return fail(ErrorCode::kInvalidArgument, "the template's variables are not valid UTF-8");
} catch (const rust::Error& error) {
  return fail(ErrorCode::kInvalidArgument, error.what());
}

}  // namespace ingot
