// Fields that clients know and Ingot does not serve yet: refused by name when they ask for something.
#pragma once

#include <optional>

#include "ingot/api/error.h"
#include "ingot/api/field_reader.h"
#include "ingot/api/sampling_fields.h"

namespace ingot::api {

// The error of the first such field that is neither absent, null nor at its default. One table: a feature that arrives
// deletes its row.
std::optional<ApiError> refuse_unsupported(const FieldReader& fields, Endpoint endpoint);

}  // namespace ingot::api
