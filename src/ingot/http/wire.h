// HTTP/1.1 and server-sent events as bytes.
#pragma once

#include <string>
#include <string_view>

#include "ingot/http/message.h"

namespace ingot::http {

// How a connection goes on after a response.
struct Framing {
  int version = 11;  // 10 or 11, the request's
  bool keep_alive = true;
  bool head_only = false;  // HEAD: the length of the body, but not the body
};

// A whole response, head and body.
std::string response_bytes(const HttpResponse& response, const Framing& framing);

// The head of an event stream: chunked in HTTP/1.1, ended by the close of the connection in 1.0.
std::string stream_head(const HttpResponse& head, const Framing& framing);
// Appends one event ("data: …" and an empty line).
void append_event(std::string& out, std::string_view payload);
// Frames what append_event() gathered for sending; `last` also ends the stream.
std::string stream_bytes(std::string events, bool last, const Framing& framing);

}  // namespace ingot::http
