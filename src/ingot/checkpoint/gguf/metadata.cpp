// Reading and typed access of GGUF key-value pairs.
#include "ingot/checkpoint/gguf/metadata.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace ingot::gguf {

namespace {

struct TypeRow {
  std::string_view name;
  int bytes;  // 0 = variable
};

constexpr std::array<TypeRow, 13> kTypes{{{"U8", 1},
                                          {"I8", 1},
                                          {"U16", 2},
                                          {"I16", 2},
                                          {"U32", 4},
                                          {"I32", 4},
                                          {"F32", 4},
                                          {"BOOL", 1},
                                          {"STRING", 0},
                                          {"ARRAY", 0},
                                          {"U64", 8},
                                          {"I64", 8},
                                          {"F64", 8}}};

int bytes_of(ValueType type) { return kTypes[static_cast<size_t>(type)].bytes; }

ValueType read_type(ByteReader& reader, std::string_view what) {
  const auto id = reader.number<uint32_t>(what);
  if (id >= kTypes.size()) corrupt(fmt::format("{} has the unknown value type {}", what, id));
  return static_cast<ValueType>(id);
}

// Walks `count` values of one type, so that their extent is known to lie inside the file.
void walk(ByteReader& reader, ValueType type, uint64_t count, std::string_view what) {
  if (type == ValueType::kString) {
    if (count > reader.remaining() / sizeof(uint64_t))
      corrupt(fmt::format("{} claims {} strings, and the file ends after {} bytes", what, count, reader.remaining()));
    for (uint64_t i = 0; i < count; ++i) reader.text(what);
    return;
  }
  const auto size = static_cast<uint64_t>(bytes_of(type));
  if (count > reader.remaining() / size)
    corrupt(fmt::format("{} claims {} values, and the file ends after {} bytes", what, count, reader.remaining()));
  reader.take(count * size, what);
}

Value read_value(ByteReader& reader, std::string_view what) {
  Value value{.type = read_type(reader, what), .element = {}, .count = 1, .bytes = {}};
  value.element = value.type;
  if (value.type == ValueType::kArray) {
    value.element = read_type(reader, what);
    if (value.element == ValueType::kArray) unsupported(fmt::format("{} is an array of arrays", what));
    value.count = reader.number<uint64_t>(what);
  }
  const size_t start = reader.offset();
  walk(reader, value.element, value.count, what);
  value.bytes = reader.since(start);
  return value;
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

std::optional<int64_t> load_integer(ValueType type, const std::byte* from) {
  switch (type) {
    case ValueType::kU8:
      return load<uint8_t>(from);
    case ValueType::kI8:
      return load<int8_t>(from);
    case ValueType::kU16:
      return load<uint16_t>(from);
    case ValueType::kI16:
      return load<int16_t>(from);
    case ValueType::kU32:
      return load<uint32_t>(from);
    case ValueType::kI32:
      return load<int32_t>(from);
    case ValueType::kU64: {
      const auto value = load<uint64_t>(from);
      return value <= INT64_MAX ? std::optional<int64_t>(value) : std::nullopt;
    }
    case ValueType::kI64:
      return load<int64_t>(from);
    default:
      return std::nullopt;
  }
}

[[noreturn]] void wrong_type(std::string_view key, const Value& value, std::string_view wanted) {
  const bool array = value.type == ValueType::kArray;
  corrupt(fmt::format("{} is {}{}, and must be {}", key, array ? "an array of " : "", value_type_name(value.element),
                      wanted));
}

std::string_view checked_text(std::string_view text, std::string_view key) {
  if (!is_utf8(text)) corrupt(fmt::format("{} holds {}, which is not UTF-8", key, quoted(text)));
  return text;
}

}  // namespace

std::string_view value_type_name(ValueType type) { return kTypes[static_cast<size_t>(type)].name; }

Metadata Metadata::read(ByteReader& reader, uint64_t count) {
  Metadata metadata;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string_view key = reader.text("a metadata key");
    if (key.empty() || !is_utf8(key)) corrupt(fmt::format("metadata key {} is {}", i, quoted(key)));
    const std::string what = "metadata " + quoted(key);
    if (!metadata.values_.try_emplace(key, read_value(reader, what)).second) corrupt(what + " appears twice");
  }
  return metadata;
}

const Value* Metadata::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<int64_t> Metadata::integer(std::string_view key) const {
  const Value* const value = find(key);
  if (!value) return std::nullopt;
  if (value->type == ValueType::kArray) wrong_type(key, *value, "an integer");
  const auto number = load_integer(value->type, value->bytes.data());
  if (!number) wrong_type(key, *value, "an integer below 2^63");
  return number;
}

std::optional<double> Metadata::real(std::string_view key) const {
  const Value* const value = find(key);
  if (!value) return std::nullopt;
  double number = 0;
  if (value->type == ValueType::kF32)
    number = load<float>(value->bytes.data());
  else if (value->type == ValueType::kF64)
    number = load<double>(value->bytes.data());
  else
    wrong_type(key, *value, "a floating-point number");
  if (!std::isfinite(number)) corrupt(fmt::format("{} is {}", key, number));
  return number;
}

std::optional<bool> Metadata::boolean(std::string_view key) const {
  const Value* const value = find(key);
  if (!value) return std::nullopt;
  if (value->type != ValueType::kBool) wrong_type(key, *value, "a BOOL");
  return load<uint8_t>(value->bytes.data()) != 0;
}

std::optional<std::string_view> Metadata::text(std::string_view key) const {
  const Value* const value = find(key);
  if (!value) return std::nullopt;
  if (value->type != ValueType::kString) wrong_type(key, *value, "a STRING");
  return checked_text(ByteReader(value->bytes).text(key), key);
}

std::optional<std::vector<std::string_view>> Metadata::texts(std::string_view key) const {
  const Value* const value = find(key);
  if (!value) return std::nullopt;
  if (value->type != ValueType::kArray || value->element != ValueType::kString)
    wrong_type(key, *value, "an array of STRING");
  std::vector<std::string_view> texts(value->count);
  ByteReader reader(value->bytes);
  for (std::string_view& text : texts) text = checked_text(reader.text(key), key);
  return texts;
}

std::optional<std::vector<int64_t>> Metadata::integers(std::string_view key, uint64_t at_most) const {
  const Value* const value = find(key);
  if (!value) return std::nullopt;
  if (value->type != ValueType::kArray) wrong_type(key, *value, "an array of integers");
  if (value->count > at_most) corrupt(fmt::format("{} has {} values, and at most {} fit", key, value->count, at_most));
  std::vector<int64_t> numbers(value->count);
  const auto size = static_cast<size_t>(bytes_of(value->element));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto number = load_integer(value->element, value->bytes.data() + i * size);
    if (!number) wrong_type(key, *value, "an array of integers");
    numbers[i] = *number;
  }
  return numbers;
}

std::optional<std::vector<double>> Metadata::reals(std::string_view key) const {
  const Value* const value = find(key);
  if (!value) return std::nullopt;
  if (value->type != ValueType::kArray) wrong_type(key, *value, "an array of numbers");
  std::vector<double> numbers(value->count);
  const auto size = static_cast<size_t>(bytes_of(value->element));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::byte* const from = value->bytes.data() + i * size;
    if (value->element == ValueType::kF32)
      numbers[i] = load<float>(from);
    else if (value->element == ValueType::kF64)
      numbers[i] = load<double>(from);
    else if (const auto number = load_integer(value->element, from))
      numbers[i] = static_cast<double>(*number);
    else
      wrong_type(key, *value, "an array of numbers");
    if (!std::isfinite(numbers[i])) corrupt(fmt::format("{}[{}] is {}", key, i, numbers[i]));
  }
  return numbers;
}

std::optional<std::span<const std::byte>> Metadata::bytes(std::string_view key) const {
  const Value* const value = find(key);
  if (!value) return std::nullopt;
  if (value->type != ValueType::kArray || (value->element != ValueType::kU8 && value->element != ValueType::kI8))
    wrong_type(key, *value, "an array of bytes");
  return value->bytes;
}

}  // namespace ingot::gguf
