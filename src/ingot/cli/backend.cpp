// What both kinds share: chunks to text, times, Ctrl-C.
#include "ingot/cli/backend.h"

#include <boost/asio/signal_set.hpp>
#include <signal.h>

#include "ingot/base/clock.h"
#include "ingot/cli/reply_reader.h"

namespace ingot::cli {
namespace {

void append(Reply& reply, const ReplyPiece& piece) {
  reply.text += piece.text;
  if (!piece.finish_reason.empty()) reply.finish_reason = piece.finish_reason;
  if (piece.prompt_tokens) reply.prompt_tokens = piece.prompt_tokens;
  if (piece.completion_tokens) reply.completion_tokens = piece.completion_tokens;
}

}  // namespace

Result<Reply> Backend::ask(api::Endpoint endpoint, boost::json::object request,
                           const std::function<void(std::string_view)>& on_text) {
  request["stream"] = true;
  request["stream_options"] = boost::json::object{{"include_usage", true}};
  Reply reply;
  Status failure;
  const TimePoint start = now();
  const auto on_chunk = [&](std::string_view json) {
    const Result<ReplyPiece> piece = read_reply(json);
    if (!piece) {
      failure = std::unexpected(piece.error());
      return;
    }
    if (!piece->text.empty() && reply.text.empty()) reply.first_s = seconds_between(start, now());
    append(reply, *piece);
    if (!piece->text.empty()) on_text(piece->text);
  };
  boost::asio::signal_set signals(io_, SIGINT);
  signals.async_wait([&](boost::system::error_code ec, int) {
    if (ec) return;
    reply.interrupted = true;
    interrupt();
  });
  const Status sent = exchange(endpoint, boost::json::serialize(request), on_chunk);
  signals.cancel();
  io_.restart();
  io_.poll();  // the handler, before what it refers to is gone
  reply.total_s = seconds_between(start, now());
  if (reply.interrupted) return reply;
  if (!sent) return std::unexpected(sent.error());
  if (!failure) return std::unexpected(failure.error());
  return reply;
}

void Backend::run_until(const bool& done) {
  io_.restart();
  while (!done) io_.run_one();
}

}  // namespace ingot::cli
