// Sizes and names of element types (the formats' own tables: safetensors' Dtype, gguf-py's GGML_QUANT_SIZES).
#include "ingot/checkpoint/element_type.h"

#include <array>

namespace ingot {

namespace {

struct Row {
  std::string_view name;
  int elements, bytes;
};

constexpr std::array kRows = std::to_array<Row>({
    {"F32", 1, 4},       {"F16", 1, 2},         {"BF16", 1, 2},        {"Q4_0", 32, 18},   {"Q4_1", 32, 20},
    {"Q8_0", 32, 34},    {"BOOL", 1, 1},        {"U8", 1, 1},          {"I8", 1, 1},       {"F8_E5M2", 1, 1},
    {"F8_E4M3", 1, 1},   {"F8_E5M2FNUZ", 1, 1}, {"F8_E4M3FNUZ", 1, 1}, {"F8_E8M0", 1, 1},  {"I16", 1, 2},
    {"U16", 1, 2},       {"I32", 1, 4},         {"U32", 1, 4},         {"I64", 1, 8},      {"U64", 1, 8},
    {"F64", 1, 8},       {"C64", 1, 8},         {"F4", 2, 1},          {"F6_E2M3", 4, 3},  {"F6_E3M2", 4, 3},
    {"Q5_0", 32, 22},    {"Q5_1", 32, 24},      {"Q8_1", 32, 40},      {"Q2_K", 256, 84},  {"Q3_K", 256, 110},
    {"Q4_K", 256, 144},  {"Q5_K", 256, 176},    {"Q6_K", 256, 210},    {"Q8_K", 256, 292}, {"IQ2_XXS", 256, 66},
    {"IQ2_XS", 256, 74}, {"IQ3_XXS", 256, 98},  {"IQ1_S", 256, 50},    {"IQ4_NL", 32, 18}, {"IQ3_S", 256, 110},
    {"IQ2_S", 256, 82},  {"IQ4_XS", 256, 136},  {"IQ1_M", 256, 56},    {"TQ1_0", 256, 54}, {"TQ2_0", 256, 66},
    {"MXFP4", 32, 17},   {"NVFP4", 64, 36},     {"Q1_0", 128, 18},
});
static_assert(kRows.size() == static_cast<size_t>(ElementType::kQ1_0) + 1);

const Row& row(ElementType type) { return kRows[static_cast<size_t>(type)]; }

}  // namespace

std::string_view element_type_name(ElementType type) { return row(type).name; }
int elements_per_block(ElementType type) { return row(type).elements; }
int bytes_per_block(ElementType type) { return row(type).bytes; }

}  // namespace ingot
