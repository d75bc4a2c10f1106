// Addresses of servers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ingot/base/result.h"

namespace ingot::cli {

struct Url {
  bool tls = false;
  std::string host;  // without the brackets of an IPv6 address
  uint16_t port = 0;
  std::string path;  // "" or "/v1": never a slash at the end

  std::string authority() const;  // "localhost:8000", as the Host header says it
  std::string text() const;       // "http://localhost:8000/v1"
};

// "http://host[:port][/path]" or https. Errors: kInvalidArgument, with an example.
Result<Url> parse_url(std::string_view text);

}  // namespace ingot::cli
