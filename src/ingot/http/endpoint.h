// What the server answers to: one function an endpoint, and the table of them.
#pragma once

#include <memory>
#include <string_view>
#include <variant>

#include "ingot/http/message.h"
#include "ingot/http/server_config.h"
#include "ingot/serve/service.h"

namespace ingot::http {

struct Context {
  const ServerConfig& config;
  serve::Service& service;
};

// A response, or a call whose reply comes when its tokens do.
using Answer = std::variant<HttpResponse, std::shared_ptr<serve::Call>>;

// Runs on a connection's thread and must not block. `wake`: for the call.
using Endpoint = Answer (*)(const Context& context, HttpRequest& request, const serve::Call::Wake& wake);

struct Route {
  std::string_view method, path;
  Endpoint endpoint;
  bool takes_json = false;  // the content type must be application/json
  bool is_measured = true;  // counts in the http_* latency metrics
};

// Null when no route has this path; `method_fits` is false when routes have it, but not for this method. HEAD is GET
// without the body.
struct Match {
  const Route* route = nullptr;
  bool method_fits = false;
};
Match find_route(std::string_view method, std::string_view path);

Answer chat_completions(const Context& context, HttpRequest& request, const serve::Call::Wake& wake);
Answer completions(const Context& context, HttpRequest& request, const serve::Call::Wake& wake);
Answer models(const Context& context, HttpRequest& request, const serve::Call::Wake& wake);
Answer health(const Context& context, HttpRequest& request, const serve::Call::Wake& wake);
Answer ping(const Context& context, HttpRequest& request, const serve::Call::Wake& wake);
Answer tokenize(const Context& context, HttpRequest& request, const serve::Call::Wake& wake);
Answer detokenize(const Context& context, HttpRequest& request, const serve::Call::Wake& wake);
Answer render_chat(const Context& context, HttpRequest& request, const serve::Call::Wake& wake);
Answer render_completion(const Context& context, HttpRequest& request, const serve::Call::Wake& wake);
Answer load(const Context& context, HttpRequest& request, const serve::Call::Wake& wake);
Answer version(const Context& context, HttpRequest& request, const serve::Call::Wake& wake);
Answer metrics(const Context& context, HttpRequest& request, const serve::Call::Wake& wake);

// Shared by the endpoints whose work a worker or the engine does: hands the request to the service.
Answer start_call(const serve::Call::Task& task, const Context& context, HttpRequest& request,
                  const serve::Call::Wake& wake);
HttpResponse error_response(const api::ApiError& error);

}  // namespace ingot::http
