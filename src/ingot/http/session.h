// One connection: reads requests, lets endpoints answer, writes replies and streams, notices when the client goes.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "ingot/http/byte_budget.h"
#include "ingot/http/endpoint.h"
#include "ingot/http/http_metrics.h"
#include "ingot/http/io_thread.h"
#include "ingot/http/wire.h"

namespace ingot::http {

// What all connections of a server share.
struct Connections {
  std::atomic<int> count = 0;         // raised when one is accepted, lowered by ~Session
  std::atomic<bool> closing = false;  // no further request is read
  const std::shared_ptr<ByteBudget> bodies;
};

// Everything but the wake (through IoThread) happens on the connection's IoThread.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(boost::asio::ip::tcp::socket socket, std::shared_ptr<IoThread> io, const Context& context,
          HttpMetrics& metrics, Connections& connections);
  ~Session();

  boost::asio::awaitable<void> run();

  void on_wake();
  void close_if_idle();  // else the connection ends with its reply, once Connections says closing
  void close_now();      // aborts the call in progress

 private:
  template <class T>
  using Awaitable = boost::asio::awaitable<T>;

  enum class Read { kRequest, kRefused, kClosed };
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  struct Exchange;  // one request and what is known of its response

  Awaitable<bool> serve_one();  // false: the connection is to end
  Awaitable<bool> wait_for_bytes();
  Awaitable<Read> read_request(Exchange& exchange);
  Awaitable<Read> read_body(Exchange& exchange, Parser& parser);
  Read refuse(Exchange& exchange, std::optional<HttpResponse> response);
  Awaitable<bool> answer(Exchange& exchange);
  Awaitable<bool> reply(Exchange& exchange, HttpResponse response);
  Awaitable<bool> run_call(Exchange& exchange, std::shared_ptr<serve::Call> call);
  Awaitable<bool> relay(Exchange& exchange, serve::Progress& progress);
  Awaitable<bool> wait_for_wake(Exchange& exchange);
  Awaitable<bool> write(std::string_view bytes);
  Awaitable<void> linger();
  void record(const Exchange& exchange);

  void watch();  // for the client's end while a call runs; also reads ahead what is pipelined
  void on_readable();
  void stop_watching();

  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;  // bytes that no request has used yet
  const std::shared_ptr<IoThread> io_;
  const Context& context_;
  HttpMetrics& metrics_;
  Connections& connections_;
  std::string peer_;

  boost::asio::steady_timer wake_timer_;  // never expires by itself unless comments keep a stream alive
  boost::asio::cancellation_signal watch_end_;
  std::shared_ptr<serve::Call> call_;
  uint64_t watch_number_ = 0;  // tells the handler of an ended watch from that of the current one
  bool woken_ = false, gone_ = false, idle_ = false, is_first_ = true;
};

}  // namespace ingot::http
