// Calls of serve/, polled on this thread.
#include "ingot/cli/local_backend.h"

#include <utility>

#include <boost/asio/post.hpp>

#include "ingot/cli/reply_reader.h"

namespace ingot::cli {

// Both join their threads, so no wake comes afterwards.
LocalBackend::~LocalBackend() {
  model_.engine->stop(std::chrono::milliseconds(0));
  model_.service.reset();
}

Result<std::string> LocalBackend::default_model() {
  return model_.service->model()->model.defaults.model_names.front();
}

Status LocalBackend::exchange(api::Endpoint endpoint, std::string body, const DataSink& on_chunk) {
  interrupted_ = false;
  const auto wake = [this] { boost::asio::post(io_, [this] { woken_ = true; }); };
  const auto call =
      model_.service->start(endpoint, {.body = std::move(body), .hold = {}, .request_id = {}, .priority = {}}, wake);
  while (!interrupted_) {
    woken_ = false;
    serve::Progress progress;
    call->poll(progress);
    if (progress.whole && progress.whole->status != 200)
      return std::unexpected(read_refusal(progress.whole->status, progress.whole->body));
    for (const std::string& chunk : progress.chunks) on_chunk(chunk);
    if (progress.ended) return {};
    if (!progress.more) run_until(woken_);
  }
  call->cancel();
  return {};
}

void LocalBackend::interrupt() { interrupted_ = woken_ = true; }

}  // namespace ingot::cli
