// The server's own opening, without a server.
#include "ingot/apps/local_model.h"

#include "ingot/apps/served_model.h"
#include "ingot/host/open_model.h"

namespace ingot {

Result<cli::LocalModel> open_local_model(const ServeConfig& config) {
  auto opened = open_model(open_options(config));
  if (!opened) return std::unexpected(opened.error());
  auto service = std::make_shared<serve::Service>(serve::ServiceOptions{.log_interval = std::chrono::seconds(0)});
  service->open(make_served_model(*opened, config), opened->engine, {});
  return cli::LocalModel{std::move(service), std::move(opened->engine)};
}

}  // namespace ingot
