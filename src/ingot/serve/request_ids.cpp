// A counter.
#include "ingot/serve/request_ids.h"

#include <atomic>

namespace ingot::serve {

RequestId take_request_ids(uint64_t count) {
  static std::atomic<uint64_t> next{1};
  return RequestId{next.fetch_add(count)};
}

}  // namespace ingot::serve
