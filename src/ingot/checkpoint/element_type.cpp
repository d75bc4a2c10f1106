// Sizes and names of element types.
#include "ingot/checkpoint/element_type.h"

#include <array>

namespace ingot {

namespace {

struct Row {
  std::string_view name;
  int elements, bytes;
};

constexpr std::array<Row, 6> kRows{{
    {"F32", 1, 4},
    {"F16", 1, 2},
    {"BF16", 1, 2},
    {"Q4_0", 32, 18},
    {"Q4_1", 32, 20},
    {"Q8_0", 32, 34},
}};

const Row& row(ElementType type) { return kRows[static_cast<size_t>(type)]; }

}  // namespace

std::string_view element_type_name(ElementType type) { return row(type).name; }
int elements_per_block(ElementType type) { return row(type).elements; }
int bytes_per_block(ElementType type) { return row(type).bytes; }

}  // namespace ingot
