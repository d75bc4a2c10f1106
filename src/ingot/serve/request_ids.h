// Ids of engine requests, unique in the process.
#pragma once

#include <cstdint>

#include "ingot/core/ids.h"

namespace ingot::serve {

// The first of `count` consecutive fresh ids. Any thread.
RequestId take_request_ids(uint64_t count);

}  // namespace ingot::serve
