// The HTTP server: sockets in, a serve::Service behind.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "ingot/base/result.h"
#include "ingot/http/server_config.h"
#include "ingot/serve/service.h"

namespace ingot::http {

// May start before the service has a model: /health says 503 until then, and so does every call. Stop the server before
// the engine behind it. Not for use by several threads at once.
class Server {
 public:
  Server(ServerConfig config, std::shared_ptr<serve::Service> service);
  ~Server();  // stop(0)

  // Binds, listens, serves on its own threads and returns. Errors: kIo with address and reason; kInvalidArgument for a
  // host that cannot be resolved.
  Status start();
  uint16_t port() const;  // the bound one, after start()

  // Takes no new connection, lets replies in progress run for at most `drain`, then aborts the rest. Idempotent.
  void stop(std::chrono::milliseconds drain);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingot::http
