// Listens on the first I/O thread and deals connections out in turn.
#include "ingot/http/server.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "ingot/base/log.h"
#include "ingot/base/open_files.h"
#include "ingot/http/session.h"

namespace ingot::http {

namespace net = boost::asio;
using boost::system::error_code;
using net::ip::tcp;

namespace {

constexpr auto kFullPause = std::chrono::milliseconds(20);    // between looks for room for another connection
constexpr auto kErrorPause = std::chrono::milliseconds(100);  // after accept failed, e.g. for want of descriptors
constexpr auto kWarnInterval = std::chrono::seconds(10);
constexpr auto kDrainPoll = std::chrono::milliseconds(5);

// Some of what may be open is left for files: a model's, /proc for the metrics.
constexpr int64_t kFilesLeft = 64;

int connections_within(int max_connections, int64_t max_files) {
  return static_cast<int>(std::min<int64_t>(max_connections, max_files - std::min(kFilesLeft, max_files / 2)));
}

net::awaitable<void> pause(std::chrono::milliseconds duration) {
  net::steady_timer timer(co_await net::this_coro::executor, duration);
  error_code ignored;
  co_await timer.async_wait(net::redirect_error(net::use_awaitable, ignored));
}

}  // namespace

struct Server::Impl {
  Impl(ServerConfig config_, std::shared_ptr<serve::Service> service_)
      : config(std::move(config_)),
        service(std::move(service_)),
        context{config, *service},
        metrics(service->registry()),
        connections{.bodies = std::make_shared<ByteBudget>(config.max_waiting_body_bytes)} {}

  const ServerConfig config;
  const std::shared_ptr<serve::Service> service;
  const Context context;
  HttpMetrics metrics;
  Connections connections;
  std::vector<std::shared_ptr<IoThread>> threads;
  std::vector<tcp::acceptor> acceptors;  // of the first thread
  size_t next_thread = 0;
  TimePoint warned_at{};  // of a failed accept
  int max_connections = 0;
  uint16_t port = 0;

  Result<std::vector<tcp::endpoint>> resolve();
  Status listen(const tcp::endpoint& endpoint);
  net::awaitable<void> accept(tcp::acceptor& acceptor);
  void warn_of(error_code ec);
  void open_session(const std::shared_ptr<IoThread>& io, tcp::socket socket);
  void for_each_session(void (Session::*act)());
};

Result<std::vector<tcp::endpoint>> Server::Impl::resolve() {
  if (config.host.empty()) return std::vector{tcp::endpoint(tcp::v6(), config.port)};  // takes IPv4 as well
  error_code ec;
  tcp::resolver resolver(threads.front()->context());
  const auto found = resolver.resolve(config.host, std::to_string(config.port), tcp::resolver::passive, ec);
  if (ec) return fail(ErrorCode::kInvalidArgument, "host " + config.host + ": " + ec.message(), "host");
  std::vector<tcp::endpoint> endpoints;
  for (const auto& entry : found) endpoints.push_back(entry.endpoint());
  return endpoints;
}

Status Server::Impl::listen(const tcp::endpoint& endpoint) {
  tcp::acceptor acceptor(threads.front()->context());
  error_code ec;
  acceptor.open(endpoint.protocol(), ec);
  if (!ec) acceptor.set_option(net::socket_base::reuse_address(true), ec);
  if (!ec && endpoint.protocol() == tcp::v6()) acceptor.set_option(net::ip::v6_only(!config.host.empty()), ec);
  if (!ec) acceptor.bind(endpoint, ec);
  if (!ec) acceptor.listen(net::socket_base::max_listen_connections, ec);
  if (ec) {
    return fail(ErrorCode::kIo,
                endpoint.address().to_string() + " port " + std::to_string(endpoint.port()) + ": " + ec.message());
  }
  port = acceptor.local_endpoint().port();
  acceptors.push_back(std::move(acceptor));
  return {};
}

net::awaitable<void> Server::Impl::accept(tcp::acceptor& acceptor) {
  while (acceptor.is_open()) {
    if (connections.count >= max_connections) {
      co_await pause(kFullPause);
      continue;
    }
    const auto& io = threads[next_thread++ % threads.size()];
    error_code ec;
    tcp::socket socket = co_await acceptor.async_accept(io->context(), net::redirect_error(net::use_awaitable, ec));
    if (!ec) {
      open_session(io, std::move(socket));
    } else if (acceptor.is_open()) {
      warn_of(ec);
      co_await pause(kErrorPause);
    }
  }
}

// Not once a try: at the limit there are ten a second.
void Server::Impl::warn_of(error_code ec) {
  if (warned_at != TimePoint{} && now() - warned_at < kWarnInterval) return;
  warned_at = now();
  log::warn("cannot accept a connection: {} (of at most {} open files; see ulimit -n)", ec.message(), max_open_files());
}

// A session is made on its own thread, and touched by no other; it counts from here on, so that accept() sees it.
void Server::Impl::open_session(const std::shared_ptr<IoThread>& io, tcp::socket socket) {
  ++connections.count;
  net::post(io->context(), [this, io, socket = std::move(socket)]() mutable {
    const auto session = std::make_shared<Session>(std::move(socket), io, context, metrics, connections);
    net::co_spawn(io->context(), session->run(), net::detached);
  });
}

void Server::Impl::for_each_session(void (Session::*act)()) {
  for (const auto& thread : threads) {
    net::post(thread->context(), [&io = *thread, act] {
      const auto sessions = io.sessions();  // a copy: acting may end one
      for (Session* session : sessions) (session->*act)();
    });
  }
}

Server::Server(ServerConfig config, std::shared_ptr<serve::Service> service)
    : impl_(std::make_unique<Impl>(std::move(config), std::move(service))) {}

Server::~Server() { stop(std::chrono::milliseconds(0)); }

Status Server::start() {
  impl_->max_connections = connections_within(impl_->config.max_connections, max_open_files());
  for (int i = 0; i < impl_->config.num_threads; ++i) impl_->threads.push_back(std::make_shared<IoThread>());
  const auto endpoints = impl_->resolve();
  if (!endpoints) return std::unexpected(endpoints.error());
  Status last;
  for (const tcp::endpoint& endpoint : *endpoints) {
    Status bound = impl_->listen(endpoint);
    if (!bound) last = std::move(bound);
    if (impl_->config.port == 0 && !impl_->acceptors.empty()) break;  // one free port, not one a family
  }
  if (impl_->acceptors.empty()) return last;
  auto& context = impl_->threads.front()->context();
  for (tcp::acceptor& acceptor : impl_->acceptors) net::co_spawn(context, impl_->accept(acceptor), net::detached);
  return {};
}

uint16_t Server::port() const { return impl_->port; }

void Server::stop(std::chrono::milliseconds drain) {
  if (impl_->threads.empty()) return;
  impl_->connections.closing = true;
  net::post(impl_->threads.front()->context(), [this] {
    for (tcp::acceptor& acceptor : impl_->acceptors) acceptor.close();
  });
  impl_->for_each_session(&Session::close_if_idle);
  const TimePoint deadline = now() + drain;
  while (impl_->connections.count > 0 && now() < deadline) std::this_thread::sleep_for(kDrainPoll);
  impl_->for_each_session(&Session::close_now);
  for (const auto& thread : impl_->threads) thread->join();
  impl_->acceptors.clear();
  impl_->threads.clear();
}

}  // namespace ingot::http
