// The order of coming up (server, then model) and of going down (server, then engine).
#include "ingot/apps/serve.h"

#include <cstdio>
#include <future>
#include <map>

#include <fmt/format.h>
#include <signal.h>

#include "ingot/apps/served_model.h"
#include "ingot/base/log.h"
#include "ingot/base/open_files.h"
#include "ingot/host/open_model.h"
#include "ingot/http/server.h"
#include "ingot/serve/service.h"

namespace ingot {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

// The signal that came within `patience`, else 0.
int wait_signal(milliseconds patience) {
  const sigset_t set = stop_signals();
  const auto ms = patience.count();
  const timespec timeout{ms / 1000, (ms % 1000) * 1'000'000};
  const int signal = sigtimedwait(&set, nullptr, &timeout);
  return signal > 0 ? signal : 0;
}

http::ServerConfig server_config(const ServeConfig& config) {
  http::ServerConfig server;
  server.host = config.host;
  server.port = config.port;
  server.api_keys = config.api_keys;
  server.access_log = config.access_log;
  server.echo_request_id = config.enable_request_id_headers;
  server.sse_keep_alive = seconds(config.sse_keep_alive_interval_s);
  return server;
}

std::map<std::string, std::string> cache_labels(const CacheConfig& cache) {
  return {{"block_size", std::to_string(cache.block_size)},
          {"num_gpu_blocks", std::to_string(cache.num_blocks)},
          {"enable_prefix_caching", cache.enable_prefix_caching ? "True" : "False"},
          {"cache_dtype", "bfloat16"}};
}

void print_ready(const ServeConfig& config, uint16_t port, const std::string& model) {
  const std::string host = config.host.empty() || config.host == "0.0.0.0" ? "127.0.0.1" : config.host;
  fmt::print(
      "\nIngot serves {} on http://{}:{}/v1\n\n  curl http://{}:{}/v1/chat/completions -H 'Content-Type: "
      "application/json' \\\n"
      "    -d '{{\"messages\": [{{\"role\": \"user\", \"content\": \"Why is the sky blue?\"}}]}}'\n\n",
      model, host, port, host, port);
  std::fflush(stdout);
}

int fail_start(const Error& error) {
  log::error("{}", error.message);
  return 1;
}

}  // namespace

int run_serve(const ServeConfig& config) {
  log::init(config.log_level);
  const sigset_t signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // every thread inherits it: signals come to wait_signal() alone
  raise_max_open_files();

  auto service = std::make_shared<serve::Service>(
      serve::ServiceOptions{.log_interval = config.log_stats ? seconds(10) : seconds(0)});
  http::Server server(server_config(config), service);
  if (Status started = server.start(); !started) return fail_start(started.error());

  auto opening = std::async(std::launch::async, [&config] { return open_model(open_options(config)); });
  while (opening.wait_for(milliseconds(0)) != std::future_status::ready) {
    if (const int signal = wait_signal(milliseconds(20))) std::quick_exit(128 + signal);
  }
  Result<OpenedModel> opened = opening.get();
  if (!opened) return fail_start(opened.error());
  serve::ServedModel model = make_served_model(*opened, config);
  const std::string name = model.defaults.model_names.front();
  service->open(std::move(model), opened->engine, cache_labels(opened->cache));
  print_ready(config, server.port(), name);

  while (wait_signal(seconds(3600)) == 0) {
  }
  log::info("stopping: running requests have {} s to end; a second signal ends at once", config.shutdown_timeout_s);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  server.stop(seconds(config.shutdown_timeout_s));
  opened->engine->stop(milliseconds(0));
  return 0;
}

}  // namespace ingot
