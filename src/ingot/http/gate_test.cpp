// The gate as a table of requests.
#include "ingot/http/gate.h"

#include <gtest/gtest.h>

namespace ingot::http {
namespace {

HttpRequest request(std::string method, std::string path, RequestHeaders headers = {}) {
  HttpRequest r;
  r.method = std::move(method);
  r.path = std::move(path);
  r.headers = std::move(headers);
  return r;
}

// 0: let through.
int status(const ServerConfig& config, const HttpRequest& r) {
  const Gate gate = pass_gate(config, r);
  return gate.response ? gate.response->status : 0;
}

TEST(Gate, RoutesMethodsAndTypes) {
  const RequestHeaders json{.content_type = "application/json"};
  EXPECT_EQ(status({}, request("GET", "/health")), 0);
  EXPECT_EQ(status({}, request("HEAD", "/health")), 0);
  EXPECT_EQ(status({}, request("GET", "/ping")), 0);
  EXPECT_EQ(status({}, request("POST", "/ping")), 0);
  EXPECT_EQ(status({}, request("GET", "/nope")), 404);
  EXPECT_EQ(status({}, request("GET", "/health/")), 404);
  EXPECT_EQ(status({}, request("DELETE", "/health")), 405);
  EXPECT_EQ(status({}, request("OPTIONS", "/health")), 405);
  EXPECT_EQ(status({}, request("HEAD", "/v1/completions")), 405);
  EXPECT_EQ(status({}, request("POST", "/v1/completions", json)), 0);
  EXPECT_EQ(status({}, request("POST", "/v1/completions")), 400);
}

TEST(Gate, KeysGuardTheApiAndNothingElse) {
  ServerConfig config;
  config.api_keys = {"secret", "other"};
  const auto with = [](std::string authorization) { return RequestHeaders{.authorization = std::move(authorization)}; };
  EXPECT_EQ(status(config, request("GET", "/v1/models")), 401);
  EXPECT_EQ(status(config, request("GET", "/v2/embed")), 401);
  EXPECT_EQ(status(config, request("GET", "/health")), 0);
  EXPECT_EQ(status(config, request("GET", "/metrics")), 0);
  EXPECT_EQ(status(config, request("GET", "/v1/models", with("Bearer secret"))), 0);
  EXPECT_EQ(status(config, request("GET", "/v1/models", with("bearer other"))), 0);
  for (const char* wrong : {"Bearer secret ", "Bearer Secret", "Basic secret", "secret", "Bearer", "Bearer "}) {
    EXPECT_EQ(status(config, request("GET", "/v1/models", with(wrong))), 401) << wrong;
  }
  EXPECT_EQ(status(config, request("OPTIONS", "/v1/models")), 405);
}

TEST(Gate, PreflightNeedsNoKeyAndNoRoute) {
  ServerConfig config;
  config.api_keys = {"secret"};
  const Gate gate = pass_gate(
      config, request("OPTIONS", "/v1/models", {.origin = "http://a.test", .access_control_request_method = "GET"}));
  ASSERT_TRUE(gate.response);
  EXPECT_EQ(gate.response->status, 200);
}

TEST(Gate, RequestIdIsEchoedOrMade) {
  HttpResponse echoed, made;
  add_request_id(request("GET", "/", {.x_request_id = "abc"}), echoed);
  add_request_id(request("GET", "/"), made);
  EXPECT_EQ(echoed.headers.at(0).second, "abc");
  EXPECT_EQ(made.headers.at(0).second.size(), 32u);
}

TEST(ByteBudget, GivesBackWhatALeaseHeld) {
  const auto budget = std::make_shared<ByteBudget>(100);
  {
    ByteBudget::Lease first(budget), second(budget);
    EXPECT_TRUE(first.grow_to(60));
    EXPECT_TRUE(first.grow_to(10));
    EXPECT_FALSE(second.grow_to(50));
    EXPECT_TRUE(second.grow_to(40));
    EXPECT_EQ(budget->used(), 100u);
  }
  EXPECT_EQ(budget->used(), 0u);
}

}  // namespace
}  // namespace ingot::http
