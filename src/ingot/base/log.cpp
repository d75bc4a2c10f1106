// Set-up of the process's logger.
#include "ingot/base/log.h"

#include <memory>
#include <string>

#include <spdlog/sinks/stdout_color_sinks.h>

namespace ingot::log {

void init(std::string_view level) {
  auto logger = std::make_shared<spdlog::logger>("ingot", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("%^%l%$ %m-%d %H:%M:%S [%n] %v");
  logger->set_level(spdlog::level::from_str(std::string(level)));
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace ingot::log
