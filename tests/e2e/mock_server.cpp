// The whole server on the mock engine, which says the prompt again. Prints its address, serves until SIGTERM or SIGINT.
// SIGUSR1: the next step fails. SIGUSR2: the engine dies.
#include <csignal>
#include <iostream>

#include "tests/support/tiny_model.h"
#include <CLI/CLI.hpp>

#include "ingot/base/log.h"
#include "ingot/base/open_files.h"
#include "ingot/engine/mock_engine.h"
#include "ingot/http/server.h"

namespace {

using namespace ingot;

// Blocks the signals in every thread that is started later, so that wait_for_signal() alone gets them.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void serve_until_told(MockEngine& engine, const sigset_t& signals) {
  for (int signal = 0; sigwait(&signals, &signal) == 0;) {
    if (signal == SIGUSR1) {
      engine.fail_step("the step failed");
    } else if (signal == SIGUSR2) {
      engine.die("the engine died");
    } else {
      return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  http::ServerConfig config;
  config.port = 0;
  config.access_log = false;
  MockOptions options;
  int64_t step_us = 0, drain_ms = 0, header_timeout_ms = 10'000, keep_alive_ms = 5'000, write_timeout_ms = 30'000;
  std::string log_level = "warning";
  CLI::App app("The server on a mock engine");
  app.add_option("--port", config.port);
  app.add_option("--api-key", config.api_keys);
  app.add_option("--threads", config.num_threads);
  app.add_option("--header-timeout-ms", header_timeout_ms);
  app.add_option("--keep-alive-ms", keep_alive_ms);
  app.add_option("--write-timeout-ms", write_timeout_ms);
  app.add_option("--step-us", step_us);
  app.add_option("--max-num-seqs", options.max_num_seqs);
  app.add_option("--max-num-queued-reqs", options.max_num_queued_reqs);
  app.add_option("--drain-ms", drain_ms);
  app.add_option("--log-level", log_level);
  CLI11_PARSE(app, argc, argv);
  log::init(log_level);
  config.header_timeout = std::chrono::milliseconds(header_timeout_ms);
  config.keep_alive = std::chrono::milliseconds(keep_alive_ms);
  config.write_timeout = std::chrono::milliseconds(write_timeout_ms);
  options.step_time = std::chrono::microseconds(step_us);

  const sigset_t signals = block_signals();
  raise_max_open_files();
  const auto engine = std::make_shared<MockEngine>(options);
  const auto service = std::make_shared<serve::Service>();
  http::Server server(config, service);
  if (const Status started = server.start(); !started) {
    std::cerr << started.error().message << '\n';
    return 1;
  }
  service->open(testing::tiny_model(INGOT_SOURCE_DIR), engine, {{"block_size", "16"}});
  std::cout << "http://127.0.0.1:" << server.port() << std::endl;
  serve_until_told(*engine, signals);
  server.stop(std::chrono::milliseconds(drain_ms));
  engine->stop(std::chrono::milliseconds(0));
}
