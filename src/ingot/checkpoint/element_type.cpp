// Sizes and names of element types.
#include "ingot/checkpoint/element_type.h"

#include <array>

namespace ingot {

namespace {

struct Row {
  std::string_view name;
  int elements, bytes;
};

constexpr std::array<Row, 23> kRows{{
    {"F32", 1, 4},  {"F16", 1, 2}, {"BF16", 1, 2}, {"Q4_0", 32, 18},  {"Q4_1", 32, 20},  {"Q8_0", 32, 34},
    {"BOOL", 1, 1}, {"U8", 1, 1},  {"I8", 1, 1},   {"F8_E5M2", 1, 1}, {"F8_E4M3", 1, 1}, {"F8_E8M0", 1, 1},
    {"I16", 1, 2},  {"U16", 1, 2}, {"I32", 1, 4},  {"U32", 1, 4},     {"I64", 1, 8},     {"U64", 1, 8},
    {"F64", 1, 8},  {"C64", 1, 8}, {"F4", 2, 1},   {"F6_E2M3", 4, 3}, {"F6_E3M2", 4, 3},
}};

const Row& row(ElementType type) { return kRows[static_cast<size_t>(type)]; }

}  // namespace

std::string_view element_type_name(ElementType type) { return row(type).name; }
int elements_per_block(ElementType type) { return row(type).elements; }
int bytes_per_block(ElementType type) { return row(type).bytes; }

}  // namespace ingot
