// The one logger of the process: spdlog's default logger with Ingot's pattern, on standard error.
#pragma once

#include <string_view>

#include <spdlog/spdlog.h>

namespace ingot::log {

using spdlog::debug;
using spdlog::error;
using spdlog::info;
using spdlog::warn;

// Sets pattern and level ("debug", "info", "warning", "error"); call once before other threads start.
void init(std::string_view level);

}  // namespace ingot::log
