// Settings of the HTTP side.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ingot::http {

struct ServerConfig {
  std::string host = "127.0.0.1";     // address or name; "" = every interface
  uint16_t port = 8000;               // 0 = one that is free
  std::vector<std::string> api_keys;  // empty = open to all
  int num_threads = 2;
  bool access_log = true;
  bool echo_request_id = false;  // X-Request-Id in every response

  // Bounds that no client can push the server over.
  int max_connections = 4096;
  size_t max_header_bytes = 64u << 10;         // beyond: 431
  size_t max_body_bytes = 32u << 20;           // beyond: 413
  size_t max_waiting_body_bytes = 256u << 20;  // of all requests until they are tokenised; beyond: 503
  size_t max_pipelined_bytes = 64u << 10;      // read ahead while a reply is being made
  std::chrono::milliseconds header_timeout{
      10'000};  // from the first byte, or the connection's start, to the last header
  std::chrono::milliseconds body_timeout{60'000};
  std::chrono::milliseconds keep_alive{5'000};      // idle between requests
  std::chrono::milliseconds write_timeout{30'000};  // without any progress
  std::chrono::milliseconds sse_keep_alive{0};      // comment lines in idle streams; 0 = none
};

}  // namespace ingot::http
