// The connection's coroutine from the endpoint on: whole responses, streams, the watch for the client's end.
#include <exception>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "ingot/base/log.h"
#include "ingot/http/exchange.h"
#include "ingot/http/gate.h"

namespace ingot::http {

namespace net = boost::asio;
using boost::beast::error_code;

namespace {

constexpr size_t kWriteSize = 64u << 10;  // the progress that a slow client must make within the write time-out
constexpr size_t kReadSize = 16u << 10;

auto into(error_code& ec) { return net::redirect_error(net::use_awaitable, ec); }

}  // namespace

Session::Awaitable<bool> Session::answer(Exchange& exchange) {
  if (exchange.response) co_return co_await reply(exchange, std::move(*exchange.response));
  Answer answer;
  try {
    const serve::Call::Wake wake = [io = io_, weak = weak_from_this()] { io->wake(weak); };
    answer = exchange.route->endpoint(context_, exchange.request, wake);
  } catch (const std::exception& e) {
    log::error("{} {}: {}", exchange.request.method, exchange.request.path, e.what());
    answer = error_response(api::internal_error(e.what()));
  }
  if (auto* response = std::get_if<HttpResponse>(&answer)) co_return co_await reply(exchange, std::move(*response));
  co_return co_await run_call(exchange, std::move(std::get<std::shared_ptr<serve::Call>>(answer)));
}

Session::Awaitable<bool> Session::reply(Exchange& exchange, HttpResponse response) {
  add_cors(exchange.request, response);
  if (context_.config.echo_request_id) add_request_id(exchange.request, response);
  if (connections_.closing) exchange.framing.keep_alive = false;
  exchange.status = response.status;
  exchange.response_bytes = response.body.size();
  co_return co_await write(response_bytes(response, exchange.framing));
}

Session::Awaitable<bool> Session::run_call(Exchange& exchange, std::shared_ptr<serve::Call> call) {
  call_ = std::move(call);
  gone_ = false;
  watch();
  bool ended = false;
  while (!ended) {
    woken_ = false;
    serve::Progress progress;
    call_->poll(progress);
    ended = progress.ended;
    if (progress.too_slow) log::warn("{} reads too slowly: its request was aborted", peer_);
    if (progress.too_slow || !co_await relay(exchange, progress) || gone_) co_return false;
    if (!ended && !progress.more && !co_await wait_for_wake(exchange)) co_return false;
  }
  call_ = nullptr;
  stop_watching();
  co_return true;
}

// Sends what poll() found.
Session::Awaitable<bool> Session::relay(Exchange& exchange, serve::Progress& progress) {
  if (progress.whole && !exchange.streams) {
    HttpResponse response{.status = progress.whole->status, .body = std::move(progress.whole->body)};
    if (progress.whole->retry_after_s) {
      response.headers.emplace_back("retry-after", std::to_string(*progress.whole->retry_after_s));
    }
    co_return co_await reply(exchange, std::move(response));
  }
  if (progress.chunks.empty() && !progress.ended) co_return true;
  std::string events;
  for (const std::string& chunk : progress.chunks) append_event(events, chunk);
  if (progress.ended) append_event(events, "[DONE]");
  exchange.response_bytes += events.size();
  std::string bytes;
  if (!std::exchange(exchange.streams, true)) {
    HttpResponse head;
    add_cors(exchange.request, head);
    if (context_.config.echo_request_id) add_request_id(exchange.request, head);
    if (exchange.framing.version == 10 || connections_.closing) exchange.framing.keep_alive = false;
    exchange.status = head.status;
    bytes = stream_head(head, exchange.framing);
  }
  bytes += stream_bytes(std::move(events), progress.ended, exchange.framing);
  co_return co_await write(bytes);
}

// False: the client is gone. A stream that is idle for too long gets a comment, for the proxies in between.
Session::Awaitable<bool> Session::wait_for_wake(Exchange& exchange) {
  const auto idle_limit = context_.config.sse_keep_alive;
  while (!woken_ && !gone_) {
    wake_timer_.expires_at(exchange.streams && idle_limit.count() > 0 ? now() + idle_limit : TimePoint::max());
    error_code ec;
    co_await wake_timer_.async_wait(into(ec));
    if (!ec && !co_await write(stream_bytes(": keep-alive\n\n", false, exchange.framing))) co_return false;
  }
  co_return !gone_;
}

void Session::on_wake() {
  woken_ = true;
  wake_timer_.cancel();
}

// First straight to the socket, which nearly always takes it; only a full socket costs a wait and a timer.
Session::Awaitable<bool> Session::write(std::string_view bytes) {
  while (!bytes.empty()) {
    error_code ec;
    size_t sent = stream_.socket().write_some(net::buffer(bytes), ec);
    if (ec == net::error::would_block) {
      stream_.expires_after(context_.config.write_timeout);
      sent = co_await stream_.async_write_some(net::buffer(bytes.substr(0, kWriteSize)), into(ec));
      stream_.expires_never();
    }
    if (ec) co_return false;
    bytes.remove_prefix(sent);
  }
  co_return true;
}

void Session::watch() {
  const auto handler = [self = shared_from_this(), number = ++watch_number_](error_code ec) {
    if (!ec && number == self->watch_number_) self->on_readable();
  };
  stream_.socket().async_wait(net::ip::tcp::socket::wait_read, net::bind_cancellation_slot(watch_end_.slot(), handler));
}

void Session::on_readable() {
  if (buffer_.size() >= context_.config.max_pipelined_bytes) return;  // its end shows when these are served
  error_code ec;
  const size_t size = stream_.socket().read_some(buffer_.prepare(kReadSize), ec);
  if (!ec) buffer_.commit(size);
  if (!ec || ec == net::error::would_block) return watch();
  gone_ = true;
  if (call_) call_->cancel();
  stream_.cancel();  // a write that waits for this client
  on_wake();
}

void Session::stop_watching() {
  ++watch_number_;
  watch_end_.emit(net::cancellation_type::terminal);
}

void Session::record(const Exchange& exchange) {
  if (exchange.status == 0) return;
  const HttpRequest& request = exchange.request;
  if (context_.config.access_log) {
    log::info("{} - \"{} {}\" {}", peer_, request.method, request.path, exchange.status);
  }
  if (exchange.route && !exchange.route->is_measured) return;
  metrics_.on_response({.handler = exchange.route ? exchange.route->path : "none",
                        .method = request.method,
                        .status = exchange.status,
                        .request_bytes = exchange.request_bytes,
                        .response_bytes = exchange.response_bytes,
                        .seconds = seconds_between(request.arrival, now())});
}

}  // namespace ingot::http
