// Header, then metadata, then the tensor table; each claim is checked against the file's size before it is used.
#include "ingot/checkpoint/gguf/gguf_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ingot::gguf {

namespace {

constexpr uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr uint32_t kMaxDims = 4;
constexpr uint64_t kDefaultAlignment = 32;
constexpr uint64_t kLeastTableEntry = 8 + 4 + 8 + 4 + 8;  // name length, dimension count, one dimension, type, offset

struct TypeRow {
  uint32_t id;
  ElementType type;
};

constexpr std::array kTypes = std::to_array<TypeRow>({
    {0, ElementType::kF32},     {1, ElementType::kF16},    {2, ElementType::kQ4_0},    {3, ElementType::kQ4_1},
    {6, ElementType::kQ5_0},    {7, ElementType::kQ5_1},   {8, ElementType::kQ8_0},    {9, ElementType::kQ8_1},
    {10, ElementType::kQ2K},    {11, ElementType::kQ3K},   {12, ElementType::kQ4K},    {13, ElementType::kQ5K},
    {14, ElementType::kQ6K},    {15, ElementType::kQ8K},   {16, ElementType::kIq2Xxs}, {17, ElementType::kIq2Xs},
    {18, ElementType::kIq3Xxs}, {19, ElementType::kIq1S},  {20, ElementType::kIq4Nl},  {21, ElementType::kIq3S},
    {22, ElementType::kIq2S},   {23, ElementType::kIq4Xs}, {24, ElementType::kI8},     {25, ElementType::kI16},
    {26, ElementType::kI32},    {27, ElementType::kI64},   {28, ElementType::kF64},    {29, ElementType::kIq1M},
    {30, ElementType::kBf16},   {34, ElementType::kTq1_0}, {35, ElementType::kTq2_0},  {39, ElementType::kMxfp4},
    {40, ElementType::kNvfp4},  {41, ElementType::kQ1_0},
});

ElementType element_type(uint32_t id, const std::string& tensor) {
  const auto* const row = std::ranges::find(kTypes, id, &TypeRow::id);
  if (row == kTypes.end()) unsupported(fmt::format("{} has the unknown type {}", tensor, id));
  return row->type;
}

uint32_t read_version(ByteReader& reader) {
  if (reader.remaining() < sizeof(uint32_t) || reader.number<uint32_t>("the magic") != kMagic)
    corrupt("is not a GGUF file (its first bytes are not 'GGUF')");
  const auto version = reader.number<uint32_t>("the version");
  if (version == 2 || version == 3) return version;
  const uint32_t swapped = std::byteswap(version);
  if (swapped >= 1 && swapped <= 0xFFFF) unsupported("is a big-endian GGUF file; only little-endian ones are read");
  unsupported(fmt::format("is GGUF version {}; only 2 and 3 are read", version));
}

uint64_t alignment(const Metadata& metadata) {
  const int64_t value = metadata.integer("general.alignment").value_or(kDefaultAlignment);
  if (value < 1 || value > UINT32_MAX || !std::has_single_bit(static_cast<uint64_t>(value)))
    corrupt(fmt::format("general.alignment is {}, and must be a power of two", value));
  return static_cast<uint64_t>(value);
}

void refuse_split(const Metadata& metadata) {
  const int64_t parts = metadata.integer("split.count").value_or(1);
  if (parts > 1)
    unsupported(fmt::format("is one of {} parts of a split GGUF; split files are not read: merge them first", parts));
}

// A tensor's claims, before its bytes are known to exist.
struct Claim {
  Tensor tensor;
  uint64_t offset = 0, bytes = 0;
};

// Bytes of the tensor; dimensions come innermost first.
uint64_t checked_bytes(std::span<const uint64_t> dims, ElementType type, const std::string& what) {
  const auto block = static_cast<uint64_t>(elements_per_block(type));
  if (dims[0] % block != 0)
    corrupt(
        fmt::format("{} has rows of {}, and {} comes in blocks of {}", what, dims[0], element_type_name(type), block));
  uint64_t count = 1;
  for (const uint64_t dim : dims)
    if (dim == 0 || __builtin_mul_overflow(count, dim, &count))
      corrupt(fmt::format("{} has the impossible shape {}", what, fmt::join(dims, " × ")));
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(count / block, static_cast<uint64_t>(bytes_per_block(type)), &bytes))
    corrupt(fmt::format("{} has the impossible shape {}", what, fmt::join(dims, " × ")));
  return bytes;
}

Claim read_claim(ByteReader& reader) {
  Claim claim;
  claim.tensor.name = reader.text("a tensor's name");
  const std::string what = "tensor " + quoted(claim.tensor.name);
  if (claim.tensor.name.empty() || !is_utf8(claim.tensor.name)) corrupt(what + " has no proper name");
  const auto num_dims = reader.number<uint32_t>(what);
  if (num_dims < 1 || num_dims > kMaxDims) corrupt(fmt::format("{} has {} dimensions", what, num_dims));
  std::array<uint64_t, kMaxDims> dims{};
  for (uint32_t i = 0; i < num_dims; ++i) dims[i] = reader.number<uint64_t>(what);
  claim.tensor.type = element_type(reader.number<uint32_t>(what), what);
  claim.offset = reader.number<uint64_t>(what);
  claim.bytes = checked_bytes({dims.data(), num_dims}, claim.tensor.type, what);
  claim.tensor.shape.assign(dims.rend() - num_dims, dims.rend());
  return claim;
}

// Offsets count from the data section, which starts at the first multiple of the alignment after the table.
void place(std::vector<Claim>& claims, std::span<const std::byte> bytes, size_t table_end, uint64_t alignment) {
  const uint64_t start = (table_end + alignment - 1) / alignment * alignment;  // both far below 2^63
  const uint64_t size = bytes.size() > start ? bytes.size() - start : 0;
  for (Claim& claim : claims) {
    const std::string what = "tensor " + quoted(claim.tensor.name);
    if (claim.offset % alignment != 0)
      corrupt(fmt::format("{} starts at offset {}, not a multiple of {}", what, claim.offset, alignment));
    if (claim.offset > size || claim.bytes > size - claim.offset)
      corrupt(fmt::format("{} claims {} bytes at offset {}, and the data section has {}", what, claim.bytes,
                          claim.offset, size));
    claim.tensor.data = bytes.subspan(start + claim.offset, claim.bytes);
  }
}

void refuse_overlaps(std::vector<const Claim*> claims) {
  std::ranges::sort(claims, {}, &Claim::offset);
  for (size_t i = 1; i < claims.size(); ++i)
    if (claims[i]->offset < claims[i - 1]->offset + claims[i - 1]->bytes)
      corrupt(
          fmt::format("tensors {} and {} overlap", quoted(claims[i - 1]->tensor.name), quoted(claims[i]->tensor.name)));
}

}  // namespace

GgufFile parse(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  GgufFile file;
  file.version = read_version(reader);
  const auto num_tensors = reader.number<uint64_t>("the tensor count");
  const auto num_keys = reader.number<uint64_t>("the metadata count");
  file.metadata = Metadata::read(reader, num_keys);
  refuse_split(file.metadata);

  if (num_tensors > reader.remaining() / kLeastTableEntry)
    corrupt(fmt::format("claims {} tensors, and the file ends after {} bytes", num_tensors, reader.remaining()));
  std::vector<Claim> claims;
  std::unordered_set<std::string_view> names;
  for (uint64_t i = 0; i < num_tensors; ++i) {
    claims.push_back(read_claim(reader));
    const std::string_view name = claims.back().tensor.name;
    if (!names.insert(name).second) corrupt(fmt::format("tensor {} appears twice", quoted(name)));
  }
  place(claims, bytes, reader.offset(), alignment(file.metadata));

  std::vector<const Claim*> order;
  order.reserve(claims.size());
  for (const Claim& claim : claims) order.push_back(&claim);
  refuse_overlaps(std::move(order));
  file.tensors.reserve(claims.size());
  for (Claim& claim : claims) file.tensors.push_back(std::move(claim.tensor));
  return file;
}

}  // namespace ingot::gguf
