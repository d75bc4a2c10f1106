// Events over HTTP.
#include "ingot/cli/remote_backend.h"

#include <exception>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>

#include "ingot/cli/reply_reader.h"
#include "ingot/cli/sse_parser.h"

namespace ingot::cli {

namespace net = boost::asio;
namespace json = boost::json;

namespace {

Error with_remedy(Error error) {
  error.message +=
      "\nStart a server with `ingot serve`, name one with --url, or give a model to run it in this process";
  return error;
}

Error bad_models(std::string_view body) {
  return {ErrorCode::kCorrupt, fmt::format("the server names no model; pass --model-name. It said: {:.200}", body), ""};
}

}  // namespace

RemoteBackend::RemoteBackend(Url base, std::string api_key)
    : base_(std::move(base)), api_key_(std::move(api_key)), client_(base_) {}

Headers RemoteBackend::headers() const {
  if (api_key_.empty()) return {};
  return {{"Authorization", "Bearer " + api_key_}};
}

// The end by interrupt() is no error here: whoever interrupts knows.
Result<int> RemoteBackend::stream(const HttpCall& call, const HttpClient::BodySink& sink) {
  bool done = false;
  Result<int> status = 0;
  const auto on_end = [&](std::exception_ptr thrown, Result<int> result) {
    done = true;
    if (!thrown) status = std::move(result);
  };
  net::co_spawn(io_, client_.stream(call, sink), net::bind_cancellation_slot(cancel_.slot(), on_end));
  run_until(done);
  if (!status) return std::unexpected(with_remedy(status.error()));
  return status;
}

Result<std::string> RemoteBackend::default_model() {
  std::string body;
  const HttpCall call{.path = base_.path + "/models", .headers = headers(), .body = {}};
  const Result<int> status = stream(call, [&](int, std::string_view piece) { body += piece; });
  if (!status) return std::unexpected(status.error());
  if (*status != 200) return std::unexpected(read_refusal(*status, body));
  boost::system::error_code ec;
  const json::value reply = json::parse(body, ec);
  const json::value* id = ec ? nullptr : reply.find_pointer("/data/0/id", ec);
  if (!id || !id->is_string()) return std::unexpected(bad_models(body));
  return std::string(id->get_string());
}

Status RemoteBackend::exchange(api::Endpoint endpoint, std::string body, const DataSink& on_chunk) {
  const char* path = endpoint == api::Endpoint::kChat ? "/chat/completions" : "/completions";
  const HttpCall call{.method = "POST", .path = base_.path + path, .headers = headers(), .body = std::move(body)};
  SseParser events;
  std::string refusal;
  const Result<int> status = stream(call, [&](int status, std::string_view piece) {
    if (status != 200) {
      refusal += piece;
      return;
    }
    events.feed(piece, [&](std::string_view data) {
      if (data != "[DONE]") on_chunk(data);
    });
  });
  if (!status) return std::unexpected(status.error());
  if (*status != 200 && *status != 0) return std::unexpected(read_refusal(*status, refusal));
  return {};
}

void RemoteBackend::interrupt() { cancel_.emit(net::cancellation_type::terminal); }

}  // namespace ingot::cli
