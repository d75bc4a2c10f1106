// What the render endpoints answer: a worker's jobs, which reach no engine.
#pragma once

#include <string>

#include "ingot/api/error.h"
#include "ingot/serve/prepare.h"

namespace ingot::serve {

// Any thread; slow. The body of the reply: an object for a chat, a list with an object a prompt for a completion.
api::Parsed<std::string> render_chat_request(const ServedModel& model, const CallInput& input);
api::Parsed<std::string> render_completion_request(const ServedModel& model, const CallInput& input);

}  // namespace ingot::serve
