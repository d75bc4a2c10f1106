// An engine in this process: the road of the server's requests, without its sockets.
#pragma once

#include "ingot/cli/backend.h"
#include "ingot/cli/local_model.h"

namespace ingot::cli {

class LocalBackend final : public Backend {
 public:
  explicit LocalBackend(LocalModel model) : model_(std::move(model)) {}
  ~LocalBackend() override;  // stops the engine

  Result<std::string> default_model() override;

 protected:
  Status exchange(api::Endpoint endpoint, std::string body, const DataSink& on_chunk) override;
  void interrupt() override;

 private:
  LocalModel model_;
  bool woken_ = false, interrupted_ = false;
};

}  // namespace ingot::cli
