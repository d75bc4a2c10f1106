// Flags of `vllm serve` that are known but not built: they get an error of their own rather than "unknown".
#pragma once

#include <string_view>

namespace ingot {

// As written: "--tensor-parallel-size", "-tp", "--no-async-scheduling", "--speculative-config.method".
bool is_unbuilt_flag(std::string_view name);

}  // namespace ingot
