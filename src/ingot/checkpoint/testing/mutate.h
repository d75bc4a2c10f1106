// Well-formed files → hostile ones, at random but repeatably.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>

namespace ingot::testing {

// Rounds of a mutation test: `usual`, or what INGOT_MUTATIONS says.
inline int mutation_rounds(int usual) {
  const char* const asked = std::getenv("INGOT_MUTATIONS");
  return asked ? std::atoi(asked) : usual;
}

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  size_t below(size_t n) { return n == 0 ? 0 : std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

  // One to three changes among the first `reach` bytes; one in eight is cut short besides.
  std::vector<std::byte> bytes(std::vector<std::byte> file, size_t reach) {
    constexpr std::array<uint64_t, 9> kOdd{0,          1,          0xFFFFFFFF, 1ull << 31, 1ull << 42,
                                           1ull << 60, 1ull << 63, ~0ull,      ~31ull};
    for (size_t n = 1 + below(3); n > 0 && reach > 8; --n) {
      const size_t at = below(reach - 8);
      switch (below(4)) {
        case 0:
          file[at] = std::byte(below(256));
          break;
        case 1:
          file[at] ^= std::byte(1u << below(8));
          break;
        case 2:
          put(file, at, kOdd[below(kOdd.size())]);
          break;
        default:
          put(file, at, below(2 * file.size()));
      }
    }
    if (below(8) == 0) file.resize(below(file.size()));
    file.shrink_to_fit();
    return file;
  }

  // A text with bytes changed, put in, taken out or repeated.
  std::string text(std::string file) {
    constexpr std::string_view kTelling("[{\"\\,:-9e\xF0\x00 ", 12);
    static_assert(kTelling.back() == ' ');
    for (size_t n = 1 + below(3); n > 0 && !file.empty(); --n) {
      const size_t at = below(file.size());
      switch (below(4)) {
        case 0:
          file[at] = static_cast<char>(below(256));
          break;
        case 1:
          file.insert(at, 1 + below(40), kTelling[below(kTelling.size())]);
          break;
        case 2:
          file.erase(at, 1 + below(20));
          break;
        default:
          file.insert(at, file.substr(below(file.size()), below(60)));
      }
    }
    return file;
  }

  // JSON that parses, with one value somewhere in it replaced, renamed, removed or nested deeply.
  std::string json(std::string_view file) {
    boost::json::value root = boost::json::parse(file);
    change(root);
    return boost::json::serialize(root);
  }

 private:
  static void put(std::vector<std::byte>& bytes, size_t at, uint64_t value) {
    std::memcpy(&bytes[at], &value, sizeof(value));
  }

  boost::json::value odd_value() {
    static const std::array<boost::json::value, 18> kValues{nullptr,
                                                            true,
                                                            false,
                                                            0,
                                                            1,
                                                            -1,
                                                            3,
                                                            2147483648,
                                                            INT64_MAX,
                                                            INT64_MIN,
                                                            UINT64_MAX,
                                                            0.5,
                                                            1e308,
                                                            "",
                                                            "word",
                                                            boost::json::array{},
                                                            boost::json::object{},
                                                            boost::json::array{1, "a", nullptr}};
    if (below(20) != 0) return kValues[below(kValues.size())];
    boost::json::value deep = 1;
    for (size_t n = 1 + below(60); n > 0; --n) deep = boost::json::array{deep};
    return below(2) ? deep : boost::json::value(std::string(1000, 'x'));
  }

  void change(boost::json::value& value) {
    if (value.is_object() && !value.get_object().empty() && below(8) != 0) {
      boost::json::object& object = value.get_object();
      auto* const member = object.begin() + static_cast<ptrdiff_t>(below(object.size()));
      const std::string key(member->key());
      boost::json::value renamed;
      switch (below(6)) {
        case 0:
          object.erase(key);
          break;
        case 1:
          renamed = member->value();  // a copy: the object moves its members when it grows
          object.erase(key);
          object[key + "x"] = std::move(renamed);
          break;
        case 2:
          object[key] = odd_value();
          break;
        default:
          change(member->value());
      }
    } else if (value.is_array() && !value.get_array().empty() && below(8) != 0) {
      boost::json::array& array = value.get_array();
      const size_t at = below(array.size());
      below(3) == 0 ? void(array.push_back(odd_value())) : change(array[at]);
    } else {
      value = odd_value();
    }
  }

  std::mt19937 random_;
};

}  // namespace ingot::testing
