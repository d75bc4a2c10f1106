// Splits and joins.
#include "ingot/cli/url.h"

#include <charconv>

#include <fmt/format.h>

namespace ingot::cli {
namespace {

uint16_t default_port(bool tls) { return tls ? 443 : 80; }

std::unexpected<Error> bad_url(std::string_view text, std::string_view why) {
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("'{}' is no address of a server: {} (example: http://localhost:8000/v1)", text, why));
}

bool parse_port(std::string_view text, uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port != 0;
}

}  // namespace

std::string Url::authority() const {
  const std::string name = host.contains(':') ? '[' + host + ']' : host;
  return port == default_port(tls) ? name : fmt::format("{}:{}", name, port);
}

std::string Url::text() const { return fmt::format("{}://{}{}", tls ? "https" : "http", authority(), path); }

Result<Url> parse_url(std::string_view text) {
  Url url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    url.tls = true;
  } else if (!rest.starts_with("http://")) {
    return bad_url(text, "it must begin with http:// or https://");
  }
  rest.remove_prefix(url.tls ? 8 : 7);
  for (const char c : rest) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f')
      return bad_url(text, "it holds a space or control character");
  }
  const size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view authority = rest.substr(0, slash);
  url.path = rest.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();
  if (authority.contains('@')) return bad_url(text, "user names are not supported; keys go into --api-key");

  const size_t bracket = authority.starts_with('[') ? authority.find(']') : std::string_view::npos;
  if (authority.starts_with('[') && bracket == std::string_view::npos) return bad_url(text, "the ']' is missing");
  const size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  url.host = bracket == std::string_view::npos ? authority.substr(0, colon) : authority.substr(1, bracket - 1);
  url.port = default_port(url.tls);
  if (url.host.empty()) return bad_url(text, "the host is missing");
  if (colon != std::string_view::npos && !parse_port(authority.substr(colon + 1), url.port))
    return bad_url(text, "the port must be a number from 1 to 65535");
  return url;
}

}  // namespace ingot::cli
