// Coercions as pydantic 2.13 answers them (models of int, float, bool and str fields asked one by one).
#include "ingot/api/lax.h"

#include <cmath>
#include <string>

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace ingot::api {
namespace {

namespace json = boost::json;

// The value as text, or the failure's type.
template <class T>
std::string answer(const Lax<T>& got) {
  if (!got) return std::string(got.error().type);
  if constexpr (std::is_same_v<T, bool>) {
    return *got ? "true" : "false";
  } else {
    return json::serialize(json::value(*got));
  }
}

struct Row {
  const char* input;
  const char* answer;
};

TEST(Lax, Integers) {
  constexpr Row kRows[] = {{"5", "5"},
                           {"5.0", "5"},
                           {"5.5", "int_from_float"},
                           {"1e3", "1000"},
                           {"true", "1"},
                           {"false", "0"},
                           {R"("5")", "5"},
                           {R"(" +7 ")", "7"},
                           {R"("3.0")", "3"},
                           {R"("5.")", "int_parsing"},
                           {R"(".0")", "int_parsing"},
                           {R"("5.5")", "int_parsing"},
                           {R"("-0")", "0"},
                           {R"("+-3")", "int_parsing"},
                           {R"("++3")", "int_parsing"},
                           {R"("0x10")", "int_parsing"},
                           {R"("1e3")", "int_parsing"},
                           {R"("")", "int_parsing"},
                           {"{}", "int_type"},
                           {"[1]", "int_type"},
                           {"null", "int_type"},
                           {"9223372036854775807", "9223372036854775807"},
                           {"9223372036854775808", "less_than_equal"},
                           {"-9223372036854775808", "-9223372036854775808"},
                           {"-10000000000000000000", "greater_than_equal"},
                           {R"("9223372036854775808")", "less_than_equal"},
                           {R"("-9223372036854775809")", "greater_than_equal"},
                           {"1e30", "less_than_equal"}};
  for (const auto& [input, wanted] : kRows) EXPECT_EQ(answer(lax_integer(json::parse(input))), wanted) << input;
}

TEST(Lax, Numbers) {
  constexpr Row kRows[] = {{"5", "5E0"},
                           {"0.5", "5E-1"},
                           {"true", "1E0"},
                           {R"("0.5")", "5E-1"},
                           {R"(" 1e3 ")", "1E3"},
                           {R"("+2")", "2E0"},
                           {R"("x")", "float_parsing"},
                           {R"("")", "float_parsing"},
                           {"[]", "float_type"},
                           {"{}", "float_type"},
                           {"null", "float_type"}};
  for (const auto& [input, wanted] : kRows) EXPECT_EQ(answer(lax_number(json::parse(input))), wanted) << input;
  EXPECT_TRUE(std::isnan(lax_number("nan").value()));
  for (const char* infinite : {"inf", "+inf", "Infinity", "-inf"})
    EXPECT_TRUE(std::isinf(lax_number(infinite).value()));
}

TEST(Lax, Booleans) {
  constexpr Row kRows[] = {{"true", "true"},
                           {"0", "false"},
                           {"1", "true"},
                           {"2", "bool_parsing"},
                           {"1.0", "true"},
                           {"0.5", "bool_type"},
                           {R"("yes")", "true"},
                           {R"("OFF")", "false"},
                           {R"("t")", "true"},
                           {R"("maybe")", "bool_parsing"},
                           {R"(" true ")", "bool_parsing"},
                           {"[]", "bool_type"},
                           {"null", "bool_type"}};
  for (const auto& [input, wanted] : kRows) EXPECT_EQ(answer(lax_boolean(json::parse(input))), wanted) << input;
}

TEST(Lax, Strings) {
  EXPECT_EQ(lax_string("5").value(), "5");
  for (const char* input : {"5", "true", "[]", "null"}) {
    EXPECT_EQ(lax_string(json::parse(input)).error().type, "string_type") << input;
  }
}

}  // namespace
}  // namespace ingot::api
