// What is an address, and what is refused with a reason.
#include "ingot/cli/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingot::cli {
namespace {

using ::testing::HasSubstr;

TEST(Url, PartsAndText) {
  const Url url = parse_url("http://localhost:8000/v1/").value();
  EXPECT_FALSE(url.tls);
  EXPECT_EQ(url.host, "localhost");
  EXPECT_EQ(url.port, 8000);
  EXPECT_EQ(url.path, "/v1");
  EXPECT_EQ(url.authority(), "localhost:8000");
  EXPECT_EQ(url.text(), "http://localhost:8000/v1");
}

TEST(Url, DefaultPortsAndIpv6) {
  EXPECT_EQ(parse_url("https://api.example.com/v1").value().port, 443);
  EXPECT_EQ(parse_url("https://api.example.com/v1").value().authority(), "api.example.com");
  EXPECT_EQ(parse_url("http://host").value().port, 80);
  const Url six = parse_url("http://[::1]:9000").value();
  EXPECT_EQ(six.host, "::1");
  EXPECT_EQ(six.port, 9000);
  EXPECT_EQ(six.authority(), "[::1]:9000");
  EXPECT_EQ(parse_url("http://[::1]/x").value().path, "/x");
}

TEST(Url, WhatIsWrongIsSaid) {
  const std::pair<const char*, const char*> cases[] = {{"localhost:8000", "http://"},
                                                       {"ftp://x", "http://"},
                                                       {"http://", "host"},
                                                       {"http://:80/v1", "host"},
                                                       {"http://x:0", "port"},
                                                       {"http://x:65536", "port"},
                                                       {"http://x:8o", "port"},
                                                       {"http://[::1", "]"},
                                                       {"http://u:p@x", "--api-key"},
                                                       {"http://x/a b", "space"},
                                                       {"http://x/\r\nHost: y", "space"}};
  for (const auto& [text, reason] : cases) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_THAT(url.error().message, HasSubstr(reason)) << text;
  }
}

}  // namespace
}  // namespace ingot::cli
