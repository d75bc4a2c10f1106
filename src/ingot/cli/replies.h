// Replies on the screen: text as it comes, then the figures.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "ingot/cli/backend.h"

namespace ingot::cli {

// "12 tokens in 0.34 s, the first after 0.05 s, then 38.2 tokens/s; prompt of 31 tokens"
std::string stats_line(const Reply& reply);

// What a terminal may be sent of a model's text: no control characters but tab and line end.
std::string without_controls(std::string_view text);

class Replies {
 public:
  Replies(Backend& backend, api::Endpoint endpoint, std::string model);

  // Asks, prints the reply to standard output while it comes, and ends its line.
  Result<Reply> ask(boost::json::object request);

  void show_stats(bool shown) { shows_stats_ = shown; }
  bool shows_stats() const { return shows_stats_; }
  const std::string& model() const { return model_; }
  const char* command() const { return endpoint_ == api::Endpoint::kChat ? "chat" : "complete"; }

 private:
  Backend& backend_;
  const api::Endpoint endpoint_;
  const std::string model_;
  bool shows_stats_ = false;
};

}  // namespace ingot::cli
