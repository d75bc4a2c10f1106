// Base64 of RFC 4648, with padding: what a tokenizer.json holds bytes as.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ingot::gguf {

std::string base64(std::span<const std::byte> bytes);

}  // namespace ingot::gguf
