// A chat's messages → the text that the model reads.
#pragma once

#include <string>

#include "ingot/api/chat.h"
#include "ingot/api/error.h"
#include "ingot/serve/model.h"

namespace ingot::serve {

// Any thread; slow for long chats. Adds the model's special tokens to the request's variables.
api::Parsed<std::string> render_chat(const ServedModel& model, api::ChatRequest& request);

}  // namespace ingot::serve
