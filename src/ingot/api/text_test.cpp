// UTF-8, JSON text, Python's notation, media types.
#include <limits>
#include <string>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "ingot/api/json_reader.h"
#include "ingot/api/json_writer.h"
#include "ingot/api/python_repr.h"
#include "ingot/api/utf8.h"

namespace ingot::api {
namespace {

namespace json = boost::json;

std::string json_text(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(Utf8, CountsCodePointsAndBrokenSequences) {
  EXPECT_EQ(count_code_points("aé日😀"), 4);
  EXPECT_EQ(count_code_points("\xf0\x9f\x98"), 1);  // one cut emoji
  EXPECT_EQ(count_code_points("\xed\xa0\x80"), 3);  // a surrogate: no prefix of it is possible
  EXPECT_EQ(count_code_points("\xc0\xaf\xff"), 3);
}

TEST(JsonString, EscapesWhatJsonAsksFor) {
  EXPECT_EQ(json_text("a\"\\/\n\r\t\b\f\x01\x1f\x7f é日😀"), "\"a\\\"\\\\/\\n\\r\\t\\b\\f\\u0001\\u001f\x7f é日😀\"");
  EXPECT_EQ(json_text(std::string_view("\0", 1)), "\"\\u0000\"");
  EXPECT_EQ(json_text("x\xf0\x9f\x98y\xff"), "\"x\ufffdy\ufffd\"");
}

TEST(JsonString, EveryByteReadsBack) {
  for (int byte = 0; byte < 128; ++byte) {
    const std::string text{'a', static_cast<char>(byte), 'b'};
    EXPECT_EQ(json::parse(json_text(text)).as_string(), text);
  }
  for (int byte = 128; byte < 256; ++byte) {
    EXPECT_EQ(json::parse(json_text(std::string{'a', static_cast<char>(byte), 'b'})).as_string(), "a\ufffdb");
  }
}

TEST(JsonWriter, PutsCommas) {
  JsonWriter out;
  out.open_object().key("a").open_array().integer(1).null().boolean(true).number(-0.5f).number(3).close_array();
  out.string("b", "x").key("c").open_object().close_object().integer("d", -4).close_object();
  EXPECT_EQ(out.take(), R"({"a":[1,null,true,-0.5,3.0],"b":"x","c":{},"d":-4})");
}

TEST(PythonRepr, LooksLikePython) {
  const json::value value = json::parse(R"({"a":[1,2.5,null,true,"it's"],"b":{"q\"'":"\n\u0001é"}})");
  EXPECT_EQ(python_repr(value), R"({'a': [1, 2.5, None, True, "it's"], 'b': {'q"\'': '\n\x01é'}})");
  EXPECT_EQ(python_repr(3.0), "3.0");
  EXPECT_EQ(python_repr(0.1), "0.1");
  EXPECT_EQ(python_repr(1e-5), "1e-05");
  EXPECT_EQ(python_repr(0.0001), "0.0001");
  EXPECT_EQ(python_repr(1e16), "1e+16");
  EXPECT_EQ(python_repr(123456789012345.0), "123456789012345.0");
  EXPECT_EQ(python_repr(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(python_text("bare"), "bare");
}

TEST(PythonRepr, IsCutAtCharacterBorders) {
  std::string long_text;
  for (int i = 0; i < 1000; ++i) long_text += "é";
  const std::string shown = python_repr(json::value(long_text), 100);
  EXPECT_LT(shown.size(), 110);
  EXPECT_EQ(json::parse(json_text(shown)).as_string(), shown);  // still UTF-8
  EXPECT_TRUE(shown.ends_with("é…"));
  EXPECT_TRUE(python_text(json::value(long_text), 101).ends_with("é…"));
  EXPECT_LT(python_repr(json::array(1000, 1), 100).size(), 110);
}

TEST(ContentType, OnlyJson) {
  EXPECT_TRUE(check_content_type("application/json"));
  EXPECT_TRUE(check_content_type("Application/JSON; charset=utf-8"));
  for (const char* other : {"", "text/plain", "application/jsonp", "application/x-www-form-urlencoded"}) {
    const auto got = check_content_type(other);
    ASSERT_FALSE(got) << other;
    EXPECT_EQ(got.error().status, 400);
    EXPECT_EQ(got.error().type, "Bad Request");
  }
}

}  // namespace
}  // namespace ingot::api
