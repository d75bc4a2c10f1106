// Heads are written by hand: a handful of lines, lower-case names as uvicorn sends them.
#include "ingot/http/wire.h"

#include <ctime>
#include <iterator>

#include <fmt/format.h>

#include "ingot/api/error.h"

namespace ingot::http {

namespace {

// IMF-fixdate, made anew once a second.
const std::string& http_date() {
  thread_local int64_t made_at = 0;
  thread_local std::string date;
  if (const int64_t at = unix_seconds(); at != made_at) {
    const std::time_t seconds = at;
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    char text[40];
    date.assign(text, std::strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &utc));
    made_at = at;
  }
  return date;
}

std::string open_head(const HttpResponse& response, const Framing& framing) {
  std::string head;
  head.reserve(256);
  fmt::format_to(std::back_inserter(head), "HTTP/1.{} {} {}\r\ndate: {}\r\nserver: ingot\r\n", framing.version % 10,
                 response.status, api::status_phrase(response.status), http_date());
  for (const auto& [name, value] : response.headers) {
    fmt::format_to(std::back_inserter(head), "{}: {}\r\n", name, value);
  }
  if (!framing.keep_alive) head += "connection: close\r\n";
  if (framing.keep_alive && framing.version == 10) head += "connection: keep-alive\r\n";
  return head;
}

}  // namespace

std::string response_bytes(const HttpResponse& response, const Framing& framing) {
  std::string bytes = open_head(response, framing);
  if (!response.body.empty()) {
    fmt::format_to(std::back_inserter(bytes), "content-type: {}\r\n", response.content_type);
  }
  fmt::format_to(std::back_inserter(bytes), "content-length: {}\r\n\r\n", response.body.size());
  if (!framing.head_only) bytes += response.body;
  return bytes;
}

std::string stream_head(const HttpResponse& head, const Framing& framing) {
  std::string bytes = open_head(head, framing);
  bytes += "cache-control: no-cache\r\ncontent-type: text/event-stream; charset=utf-8\r\n";
  if (framing.version == 11) bytes += "transfer-encoding: chunked\r\n";
  bytes += "\r\n";
  return bytes;
}

void append_event(std::string& out, std::string_view payload) {
  out += "data: ";
  out += payload;
  out += "\n\n";
}

std::string stream_bytes(std::string events, bool last, const Framing& framing) {
  if (framing.version == 10) return events;
  std::string bytes;
  bytes.reserve(events.size() + 32);
  if (!events.empty()) {
    fmt::format_to(std::back_inserter(bytes), "{:x}\r\n", events.size());
    bytes += events;
    bytes += "\r\n";
  }
  if (last) bytes += "0\r\n\r\n";
  return bytes;
}

}  // namespace ingot::http
