// Bytes of a request body → a JSON object, under limits that keep a hostile body harmless.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>

#include "ingot/api/error.h"

namespace ingot::api {

// Depth ≤ 128; valid UTF-8 only, no lone surrogate escapes; numbers must be finite; of duplicate keys the last wins.
// Errors: 400 in the schema shape, with the position.
Parsed<boost::json::object> parse_body(std::string_view body);

// `content_type`: the header's value, "" when absent. 400 unless the media type is application/json.
Parsed<void> check_content_type(std::string_view content_type);

}  // namespace ingot::api
