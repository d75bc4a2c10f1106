// The key-value part of a GGUF file. Values stay in the mapping: reading a file allocates one map node a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingot/checkpoint/gguf/byte_reader.h"

namespace ingot::gguf {

enum class ValueType : uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kString, kArray, kU64, kI64, kF64 };

std::string_view value_type_name(ValueType type);

struct Value {
  ValueType type;  // kArray: `element` and `count` say of what
  ValueType element;
  uint64_t count;
  std::span<const std::byte> bytes;  // whole and walked once: later reads of it cannot fail
};

// Readers return nothing for an absent key and throw FormatError (kCorrupt, naming the key) for a value of another type
// or out of range.
class Metadata {
 public:
  // Reads `count` pairs. Throws FormatError: repeated or empty keys, unknown types, nested arrays, the file's end.
  static Metadata read(ByteReader& reader, uint64_t count);

  bool has(std::string_view key) const { return values_.contains(key); }
  size_t size() const { return values_.size(); }

  std::optional<int64_t> integer(std::string_view key) const;  // any integer type
  std::optional<double> real(std::string_view key) const;      // F32 or F64, finite
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::string_view> text(std::string_view key) const;  // valid UTF-8
  std::optional<std::vector<std::string_view>> texts(std::string_view key) const;
  std::optional<std::vector<int64_t>> integers(std::string_view key, uint64_t at_most) const;
  std::optional<std::vector<double>> reals(std::string_view key) const;         // of F32, F64 or any integer, finite
  std::optional<std::span<const std::byte>> bytes(std::string_view key) const;  // of an array of U8 or I8

 private:
  const Value* find(std::string_view key) const;
  std::map<std::string_view, Value> values_;
};

}  // namespace ingot::gguf
