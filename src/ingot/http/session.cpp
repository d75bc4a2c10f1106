// The connection's coroutine up to the response: time-outs, limits, the gate.
#include "ingot/http/session.h"

#include <exception>
#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http.hpp>

#include "ingot/base/log.h"
#include "ingot/http/exchange.h"
#include "ingot/http/gate.h"

namespace ingot::http {

namespace net = boost::asio;
namespace beast = boost::beast;
using beast::error_code;

namespace {

constexpr auto kLinger = std::chrono::seconds(2);
constexpr size_t kReadSize = 16u << 10;

auto into(error_code& ec) { return net::redirect_error(net::use_awaitable, ec); }

RequestHeaders headers_of(const beast::http::fields& fields) {
  const auto get = [&](auto name) { return std::string(fields[name]); };
  using beast::http::field;
  return {.content_type = get(field::content_type),
          .authorization = get(field::authorization),
          .origin = get(field::origin),
          .expect = get(field::expect),
          .access_control_request_method = get(field::access_control_request_method),
          .access_control_request_headers = get(field::access_control_request_headers),
          .x_request_id = get("X-Request-Id"),
          .x_vllm_priority = get("X-Vllm-Priority")};
}

// "/path?query" or, from a proxy, "http://host/path?query" → "/path".
std::string path_of(std::string_view target) {
  if (target.starts_with("http://")) {
    const size_t slash = target.find('/', 7);
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  return std::string(target.substr(0, target.find('?')));
}

// Some clients end a body with an empty line that does not belong to it.
void skip_empty_lines(beast::flat_buffer& buffer) {
  const auto bytes = [&] { return std::string_view(static_cast<const char*>(buffer.cdata().data()), buffer.size()); };
  while (bytes().starts_with("\r\n")) buffer.consume(2);
}

// The response to bytes that are no request; nothing when the client merely went away.
std::optional<HttpResponse> response_to(error_code ec) {
  using beast::http::error;
  if (ec == error::body_limit) return error_response(api::http_error(413, "The request body is too large."));
  if (ec == error::header_limit || ec == error::buffer_overflow) {
    return error_response(api::http_error(431, "The request headers are too large."));
  }
  if (ec == error::end_of_stream || ec == error::partial_message) return std::nullopt;
  if (ec.category() != beast::http::make_error_code(error::bad_method).category()) return std::nullopt;
  return HttpResponse{
      .status = 400, .body = "Invalid HTTP request received.", .content_type = "text/plain; charset=utf-8"};
}

}  // namespace

Session::Session(net::ip::tcp::socket socket, std::shared_ptr<IoThread> io, const Context& context,
                 HttpMetrics& metrics, Connections& connections)
    : stream_(std::move(socket)),
      io_(std::move(io)),
      context_(context),
      metrics_(metrics),
      connections_(connections),
      wake_timer_(io_->context()) {
  error_code ignored;
  stream_.socket().set_option(net::ip::tcp::no_delay(true), ignored);
  stream_.socket().non_blocking(true, ignored);
  const auto peer = stream_.socket().remote_endpoint(ignored);
  peer_ = peer.address().to_string() + ":" + std::to_string(peer.port());
  io_->sessions().insert(this);
}

Session::~Session() {
  io_->sessions().erase(this);
  --connections_.count;
}

net::awaitable<void> Session::run() {
  const auto self = shared_from_this();
  try {
    while (co_await serve_one()) is_first_ = false;
  } catch (const std::exception& e) {
    log::error("connection of {}: {}", peer_, e.what());
  }
  stop_watching();
  if (call_) std::exchange(call_, nullptr)->cancel();
  stream_.close();
}

Session::Awaitable<bool> Session::serve_one() {
  if (!co_await wait_for_bytes()) co_return false;
  Exchange exchange;
  const Read read = co_await read_request(exchange);
  if (read == Read::kClosed) co_return false;
  const bool goes_on = co_await answer(exchange);
  record(exchange);
  if (read == Read::kRefused) co_await linger();
  co_return goes_on&& exchange.framing.keep_alive && !connections_.closing;
}

Session::Awaitable<bool> Session::wait_for_bytes() {
  error_code ec;
  stream_.expires_after(is_first_ ? context_.config.header_timeout : context_.config.keep_alive);
  for (skip_empty_lines(buffer_); buffer_.size() == 0 && !ec && !connections_.closing; skip_empty_lines(buffer_)) {
    idle_ = true;
    buffer_.commit(co_await stream_.async_read_some(buffer_.prepare(kReadSize), into(ec)));
    idle_ = false;
  }
  stream_.expires_never();
  co_return buffer_.size() > 0 && !ec;
}

Session::Awaitable<Session::Read> Session::read_request(Exchange& exchange) {
  const ServerConfig& config = context_.config;
  Parser parser;
  parser.header_limit(static_cast<uint32_t>(config.max_header_bytes));
  parser.body_limit(config.max_body_bytes);
  error_code ec;
  stream_.expires_after(config.header_timeout);
  co_await beast::http::async_read_header(stream_, buffer_, parser, into(ec));
  stream_.expires_never();
  if (ec) co_return refuse(exchange, response_to(ec));
  HttpRequest& request = exchange.request;
  const auto& head = parser.get();
  request.method = std::string(head.method_string());
  request.path = path_of(head.target());
  request.headers = headers_of(head);
  exchange.framing = {.version = head.version() == 10 ? 10 : 11,
                      .keep_alive = parser.keep_alive(),
                      .head_only = request.method == "HEAD"};
  Gate gate = pass_gate(config, request);
  exchange.route = gate.route;
  const bool expects = beast::iequals(request.headers.expect, "100-continue");
  const bool is_long = parser.content_length_remaining().value_or(SIZE_MAX) > config.max_pipelined_bytes;
  if (gate.response && !parser.is_done() && (expects || is_long)) {  // its body is not waited for
    co_return refuse(exchange, std::move(gate.response));
  }
  if (expects && !parser.is_done() && !co_await write("HTTP/1.1 100 Continue\r\n\r\n")) co_return Read::kClosed;
  exchange.response = std::move(gate.response);
  co_return co_await read_body(exchange, parser);
}

Session::Awaitable<Session::Read> Session::read_body(Exchange& exchange, Parser& parser) {
  HttpRequest& request = exchange.request;
  request.lease = std::make_shared<ByteBudget::Lease>(connections_.bodies);
  bool fits = true;  // what has come counts, not what was announced: else a few who never send it would lock out all
  error_code ec;
  stream_.expires_after(context_.config.body_timeout);
  while (fits && !ec && !parser.is_done()) {
    co_await beast::http::async_read_some(stream_, buffer_, parser, into(ec));
    fits = request.lease->grow_to(parser.get().body().size());
  }
  stream_.expires_never();
  if (!fits) co_return refuse(exchange, error_response(api::unavailable("Too much request data is waiting.")));
  if (ec) co_return refuse(exchange, response_to(ec));
  request.arrival = now();
  request.body = std::move(parser.get().body());
  exchange.request_bytes = request.body.size();
  co_return Read::kRequest;
}

// The request was not read to its end, so the connection ends with this response; without one it just ends.
Session::Read Session::refuse(Exchange& exchange, std::optional<HttpResponse> response) {
  exchange.response = std::move(response);
  exchange.framing.keep_alive = false;
  return exchange.response ? Read::kRefused : Read::kClosed;
}

// After a response to a request that was not read to its end: a close with unread bytes would make the kernel reset the
// connection, and the client might never see the response.
Session::Awaitable<void> Session::linger() {
  error_code ec;
  stream_.socket().shutdown(net::ip::tcp::socket::shutdown_send, ec);
  stream_.expires_after(kLinger);
  while (!ec) {
    buffer_.clear();
    co_await stream_.async_read_some(buffer_.prepare(kReadSize), into(ec));
  }
}

void Session::close_if_idle() {
  if (idle_) stream_.cancel();
}

void Session::close_now() {
  gone_ = true;
  stream_.close();
  on_wake();
}

}  // namespace ingot::http
