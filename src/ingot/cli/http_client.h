// An HTTP/1.1 client that hands out a body while it arrives: one connection, kept for the next request.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "ingot/base/result.h"
#include "ingot/cli/url.h"

namespace ingot::cli {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpCall {
  std::string method = "GET";
  std::string path;  // the whole one, with the base's
  Headers headers;
  std::string body;  // JSON
};

struct HttpReply {
  int status = 0;
  std::string body;
};

// One exchange at a time, on the thread that runs the coroutine.
class HttpClient {
 public:
  using BodySink = std::function<void(int status, std::string_view piece)>;

  explicit HttpClient(Url server);
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  // The status, once the whole body went to `sink`. A kept connection that the server has closed meanwhile is opened
  // anew. Errors: kUnavailable, naming the server and what failed. Ends with an exception when it is cancelled.
  boost::asio::awaitable<Result<int>> stream(const HttpCall& call, const BodySink& sink);

  boost::asio::awaitable<Result<HttpReply>> send(const HttpCall& call);

 private:
  struct Connection;
  boost::asio::awaitable<int> attempt(const HttpCall& call, const BodySink& sink, bool& answered);

  Url server_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace ingot::cli
