// Chat messages as clients send them → as chat templates expect them.
#pragma once

#include <boost/json/array.hpp>

#include "ingot/api/error.h"
#include "ingot/api/field_reader.h"
#include "ingot/api/model_defaults.h"

namespace ingot::api {

// Per message: role (developer → system where the template lacks it), content (text parts joined by a newline, or kept
// as parts; null stays null for an assistant that calls tools, else ""), name, tool_call_id, tool_calls with their
// arguments parsed to objects (bad JSON → {}), reasoning also as reasoning_content. Errors: schema errors in `fields`;
// 400 for parts that are not text, naming them.
Parsed<boost::json::array> read_messages(FieldReader& fields, const ChatDefaults& chat);

}  // namespace ingot::api
