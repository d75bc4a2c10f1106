// What /tokenize and /detokenize answer: a worker's jobs, which reach no engine.
#pragma once

#include <string>

#include "ingot/api/error.h"
#include "ingot/serve/prepare.h"

namespace ingot::serve {

// Any thread; slow for long texts. The body of the reply. No limit but the body's size holds: lengths of prompts that
// are too long can be asked for.
api::Parsed<std::string> tokenize(const ServedModel& model, const CallInput& input);
api::Parsed<std::string> detokenize(const ServedModel& model, const CallInput& input);

}  // namespace ingot::serve
