// The header's claims against the file's size, tensor by tensor in the order of their bytes.
#include "ingot/checkpoint/safetensors/safetensors_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ingot/checkpoint/format_error.h"
#include "ingot/checkpoint/safetensors/header.h"

namespace ingot::safetensors {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are read on little-endian machines");

constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own bound
constexpr uint64_t kMaxDim = uint64_t{1} << 62;    // keeps shapes in int64

constexpr std::array kTypes{
    ElementType::kF32,        ElementType::kF16,        ElementType::kBf16, ElementType::kBool,   ElementType::kU8,
    ElementType::kI8,         ElementType::kI16,        ElementType::kU16,  ElementType::kI32,    ElementType::kU32,
    ElementType::kI64,        ElementType::kU64,        ElementType::kF64,  ElementType::kC64,    ElementType::kF8E5M2,
    ElementType::kF8E4M3,     ElementType::kF8E8M0,     ElementType::kF4,   ElementType::kF6E2M3, ElementType::kF6E3M2,
    ElementType::kF8E5M2Fnuz, ElementType::kF8E4M3Fnuz,
};

ElementType element_type(const Entry& entry) {
  const auto* const type = std::ranges::find(kTypes, std::string_view(entry.dtype), element_type_name);
  if (type == kTypes.end())
    unsupported(
        fmt::format("tensor {} has the unknown type {}", ingot::quoted(entry.name), ingot::quoted(entry.dtype)));
  return *type;
}

// Bytes that shape and type call for.
uint64_t checked_bytes(const Entry& entry, ElementType type) {
  const auto impossible = [&] {
    corrupt(fmt::format("tensor {} has the impossible shape [{}] of {}", ingot::quoted(entry.name),
                        fmt::join(entry.shape, ", "), entry.dtype));
  };
  uint64_t count = 1;
  for (const uint64_t dim : entry.shape)
    if (dim > kMaxDim || __builtin_mul_overflow(count, dim, &count)) impossible();
  const auto block = static_cast<uint64_t>(elements_per_block(type));
  uint64_t bytes = 0;
  if (count % block != 0 || __builtin_mul_overflow(count / block, uint64_t(bytes_per_block(type)), &bytes))
    impossible();
  return bytes;
}

std::string_view header_text(std::span<const std::byte> bytes) {
  uint64_t length = 0;
  if (bytes.size() < sizeof(length))
    corrupt(
        fmt::format("is not a safetensors file: it has {} bytes, fewer than the header's length takes", bytes.size()));
  std::memcpy(&length, bytes.data(), sizeof(length));
  const uint64_t rest = bytes.size() - sizeof(length);
  if (length > kMaxHeaderBytes)
    corrupt(fmt::format("claims a header of {} bytes, more than the format's {}", length, kMaxHeaderBytes));
  if (length > rest) corrupt(fmt::format("claims a header of {} bytes, and the file ends after {}", length, rest));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + sizeof(length), length);
  if (!text.starts_with('{')) corrupt("is not a safetensors file: its header does not begin with '{'");
  return text;
}

}  // namespace

SafetensorsFile parse(std::span<const std::byte> bytes) {
  const std::string_view text = header_text(bytes);
  std::vector<Entry> entries = read_header(text);
  std::ranges::stable_sort(entries, {}, [](const Entry& entry) { return std::pair(entry.begin, entry.end); });

  const auto data = bytes.subspan(sizeof(uint64_t) + text.size());
  SafetensorsFile file;
  uint64_t at = 0;
  for (Entry& entry : entries) {
    const ElementType type = element_type(entry);
    const uint64_t size = checked_bytes(entry, type);
    if (entry.begin != at)
      corrupt(fmt::format("tensor {} begins at byte {}, and the one before it ends at {}", ingot::quoted(entry.name),
                          entry.begin, at));
    if (entry.end < entry.begin || entry.end - entry.begin != size)
      corrupt(fmt::format("tensor {} lies at bytes {} … {}, and its shape [{}] of {} takes {}",
                          ingot::quoted(entry.name), entry.begin, entry.end, fmt::join(entry.shape, ", "), entry.dtype,
                          size));
    if (entry.end > data.size())
      corrupt(fmt::format("tensor {} ends at byte {}, and the file has {}: it is cut short", ingot::quoted(entry.name),
                          entry.end, data.size()));
    at = entry.end;
    const std::string& name = file.names.emplace_back(std::move(entry.name));
    file.tensors.push_back({name, type, {entry.shape.begin(), entry.shape.end()}, data.subspan(entry.begin, size)});
  }
  if (at != data.size())
    corrupt(fmt::format("has {} bytes of tensors, and the header accounts for {}", data.size(), at));
  return file;
}

}  // namespace ingot::safetensors
