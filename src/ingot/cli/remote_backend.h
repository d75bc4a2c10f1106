// A server behind an address.
#pragma once

#include <string>

#include <boost/asio/cancellation_signal.hpp>

#include "ingot/cli/backend.h"
#include "ingot/cli/http_client.h"

namespace ingot::cli {

class RemoteBackend final : public Backend {
 public:
  // `base`: the address of the API, usually ending in /v1. `api_key`: "" = none.
  RemoteBackend(Url base, std::string api_key);

  Result<std::string> default_model() override;

 protected:
  Status exchange(api::Endpoint endpoint, std::string body, const DataSink& on_chunk) override;
  void interrupt() override;

 private:
  Headers headers() const;
  Result<int> stream(const HttpCall& call, const HttpClient::BodySink& sink);

  const Url base_;
  const std::string api_key_;
  HttpClient client_;
  boost::asio::cancellation_signal cancel_;
};

}  // namespace ingot::cli
