// `ingot chat` and `ingot complete`.
#pragma once

#include <span>
#include <string>

#include "ingot/cli/local_model.h"

namespace ingot::cli {

// Exit codes: 0; 1 when the server cannot be reached or refuses; 2 for wrong flags; 130 when a one-shot reply was
// interrupted.
int run_chat(std::span<const std::string> arguments, const OpenLocalModel& open_model);
int run_complete(std::span<const std::string> arguments, const OpenLocalModel& open_model);

}  // namespace ingot::cli
