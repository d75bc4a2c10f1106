// Chat messages as clients send them → as chat templates expect them.
#pragma once

#include <boost/json/array.hpp>

#include "ingot/api/error.h"
#include "ingot/api/field_reader.h"
#include "ingot/api/model_defaults.h"

namespace ingot::api {

// Per message: role (developer → system where the template lacks it), content (text parts joined by a newline, or a
// list of {"type":"text","text"}; nothing becomes "" or []), then where given: tool_calls with their arguments parsed
// to objects (bad JSON → {}), reasoning (or reasoning_content) under both names, tool_call_id, name, task. A tool's
// parts are always joined. Errors: schema errors gather in `fields`; 400 for an empty list and for parts that are not
// text, naming them.
Parsed<boost::json::array> read_messages(FieldReader& fields, const ChatDefaults& chat);

}  // namespace ingot::api
