// Sockets by Asio, TLS by OpenSSL, the grammar of responses by Beast's parser.
#include "ingot/cli/http_client.h"

#include <chrono>
#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>

namespace ingot::cli {

namespace net = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using boost::system::system_error;
using net::ip::tcp;

namespace {

constexpr auto kConnectTimeout = std::chrono::seconds(15);
constexpr size_t kReadSize = 16u << 10;

class Transport {
 public:
  virtual ~Transport() = default;
  virtual net::awaitable<void> handshake(const std::string& host) = 0;
  virtual net::awaitable<size_t> read_some(net::mutable_buffer into) = 0;
  virtual net::awaitable<void> write(net::const_buffer bytes) = 0;
};

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(tcp::socket socket) : socket_(std::move(socket)) {}
  net::awaitable<void> handshake(const std::string&) override { co_return; }
  net::awaitable<size_t> read_some(net::mutable_buffer into) override {
    return socket_.async_read_some(into, net::use_awaitable);
  }
  net::awaitable<void> write(net::const_buffer bytes) override {
    co_await net::async_write(socket_, bytes, net::use_awaitable);
  }

 private:
  tcp::socket socket_;
};

class TlsTransport final : public Transport {
 public:
  explicit TlsTransport(tcp::socket socket) : stream_(std::move(socket), context()) {}
  net::awaitable<void> handshake(const std::string& host) override {
    if (!SSL_set_tlsext_host_name(stream_.native_handle(), host.c_str()))
      throw system_error(static_cast<int>(::ERR_get_error()), net::error::get_ssl_category());
    stream_.set_verify_callback(net::ssl::host_name_verification(host));
    co_await stream_.async_handshake(net::ssl::stream_base::client, net::use_awaitable);
  }
  net::awaitable<size_t> read_some(net::mutable_buffer into) override {
    return stream_.async_read_some(into, net::use_awaitable);
  }
  net::awaitable<void> write(net::const_buffer bytes) override {
    co_await net::async_write(stream_, bytes, net::use_awaitable);
  }

 private:
  static net::ssl::context& context() {
    static net::ssl::context context = [] {
      net::ssl::context made(net::ssl::context::tls_client);
      made.set_default_verify_paths();
      made.set_verify_mode(net::ssl::verify_peer);
      return made;
    }();
    return context;
  }

  net::ssl::stream<tcp::socket> stream_;
};

net::awaitable<std::unique_ptr<Transport>> open(const Url& server) {
  const auto executor = co_await net::this_coro::executor;
  tcp::resolver resolver(executor);
  const auto found = co_await resolver.async_resolve(server.host, std::to_string(server.port), net::use_awaitable);
  tcp::socket socket(executor);
  co_await net::async_connect(socket, found, net::use_awaitable);
  socket.set_option(tcp::no_delay(true));
  std::unique_ptr<Transport> transport;
  if (server.tls) {
    transport = std::make_unique<TlsTransport>(std::move(socket));
  } else {
    transport = std::make_unique<PlainTransport>(std::move(socket));
  }
  co_await transport->handshake(server.host);
  co_return transport;
}

net::awaitable<std::unique_ptr<Transport>> open_in_time(const Url& server) {
  const auto executor = co_await net::this_coro::executor;
  net::steady_timer timer(executor, kConnectTimeout);
  auto race = net::experimental::make_parallel_group(net::co_spawn(executor, open(server), net::deferred),
                                                     timer.async_wait(net::deferred));
  auto [order, thrown, transport, ec] = co_await race.async_wait(net::experimental::wait_for_one(), net::use_awaitable);
  if (order[0] == 1) throw system_error(net::error::timed_out);
  if (thrown) std::rethrow_exception(thrown);
  co_return std::move(transport);
}

std::string head_of(const HttpCall& call, const Url& server) {
  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: ingot\r\nAccept: */*\r\n", call.method,
                                 call.path, server.authority());
  for (const auto& [name, value] : call.headers) head += fmt::format("{}: {}\r\n", name, value);
  if (call.method == "POST")
    head += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", call.body.size());
  return head + "\r\n";
}

}  // namespace

struct HttpClient::Connection {
  std::unique_ptr<Transport> transport;
  boost::beast::flat_buffer buffer;

  // False at the end of the connection.
  net::awaitable<bool> read() {
    try {
      buffer.commit(co_await transport->read_some(buffer.prepare(kReadSize)));
      co_return true;
    } catch (const system_error& e) {
      if (e.code() != net::error::eof && e.code() != net::ssl::error::stream_truncated) throw;
    }
    co_return false;
  }
};

HttpClient::HttpClient(Url server) : server_(std::move(server)) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

net::awaitable<int> HttpClient::attempt(const HttpCall& call, const BodySink& sink, bool& answered) {
  std::unique_ptr<Connection> connection = std::move(connection_);  // goes back when all went well
  if (!connection) {
    connection = std::make_unique<Connection>();
    connection->transport = co_await open_in_time(server_);
  }
  const std::string request = head_of(call, server_) + call.body;
  co_await connection->transport->write(net::buffer(request));

  http::response_parser<http::string_body> parser;
  parser.body_limit(boost::none);
  parser.eager(true);
  std::string& body = parser.get().body();
  for (bool open = true; !parser.is_done();) {
    error_code ec;
    if (open && connection->buffer.size() == 0) open = co_await connection->read();
    answered |= connection->buffer.size() > 0;
    if (open) {
      connection->buffer.consume(parser.put(connection->buffer.data(), ec));
      if (ec == http::error::need_more) {
        ec = {};
        open = co_await connection->read();
      }
    } else if (answered) {
      parser.put_eof(ec);
    } else {
      ec = http::error::end_of_stream;  // of a kept connection, nearly always: the server had closed it
    }
    if (ec) throw system_error(ec);
    if (body.empty()) continue;
    sink(static_cast<int>(parser.get().result_int()), body);
    body.clear();
  }
  if (parser.get().keep_alive()) connection_ = std::move(connection);
  co_return static_cast<int>(parser.get().result_int());
}

net::awaitable<Result<int>> HttpClient::stream(const HttpCall& call, const BodySink& sink) {
  for (;;) {
    const bool kept = connection_ != nullptr;
    bool answered = false;
    std::string reason;
    try {
      co_return co_await attempt(call, sink, answered);
    } catch (const system_error& e) {
      if (e.code() == net::error::operation_aborted) throw;
      reason = e.code().message();
    }
    if (!kept || answered) {
      Url root = server_;
      root.path.clear();
      co_return fail(
          ErrorCode::kUnavailable,
          fmt::format("{} {}: {}", answered ? "lost the connection to" : "cannot reach", root.text(), reason));
    }
  }
}

net::awaitable<Result<HttpReply>> HttpClient::send(const HttpCall& call) {
  HttpReply reply;
  const auto status = co_await stream(call, [&reply](int, std::string_view piece) { reply.body += piece; });
  if (!status) co_return std::unexpected(status.error());
  reply.status = *status;
  co_return reply;
}

}  // namespace ingot::cli
