// Ids of replies: a prefix ("chatcmpl-", "cmpl-") and the client's request id or 16 random hex digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ingot::api {

// `header_id` (X-Request-Id, "" = none) wins over `body_id` (field request_id). Any thread.
std::string reply_id(std::string_view prefix, std::string_view header_id, const std::optional<std::string>& body_id);

// `digits` random lower-case hex digits. Any thread.
std::string random_hex(int digits);

}  // namespace ingot::api
