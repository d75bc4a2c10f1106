// References against a cache folder of the test's own.
#include "ingot/hub/resolve.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/hub/cache.h"

namespace ingot {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

// An empty folder as INGOT_CACHE; the environment is as before when the test ends.
class Resolve : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kNames) {
      const char* const value = std::getenv(name);
      saved_.push_back(value ? std::optional<std::string>(value) : std::nullopt);
    }
    fs::remove_all(cache_);
    fs::create_directories(cache_ / "models");
    ::setenv("INGOT_CACHE", cache_.c_str(), 1);
  }
  void TearDown() override {
    for (size_t i = 0; i < saved_.size(); ++i)
      saved_[i] ? ::setenv(kNames[i], saved_[i]->c_str(), 1) : ::unsetenv(kNames[i]);
    fs::remove_all(cache_);
  }

  static constexpr std::array kNames{"INGOT_CACHE", "XDG_CACHE_HOME", "HOME"};
  const fs::path cache_ = fs::path(::testing::TempDir()) / "ingot_resolve_test";
  std::vector<std::optional<std::string>> saved_;
};

TEST_F(Resolve, DefaultModelComesFromTheCache) {
  const auto missing = resolve_model("");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("make model"));
  EXPECT_THAT(missing.error().message, HasSubstr((cache_ / "models" / kDefaultModelFile).string()));

  const fs::path file = cache_ / "models" / kDefaultModelFile;
  std::ofstream(file) << "GGUF";
  for (const std::string_view name : {std::string_view(), kDefaultModel, kDefaultModelFile})
    EXPECT_EQ(resolve_model(name).value(), file) << name;
}

TEST_F(Resolve, PathsAreThemselves) {
  EXPECT_EQ(resolve_model(cache_.string()).value(), cache_);
  const auto missing = resolve_model("org/model");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("'org/model'"));
}

TEST_F(Resolve, CacheFolderFollowsTheEnvironment) {
  EXPECT_EQ(cache_folder().value(), cache_);
  ::setenv("INGOT_CACHE", "", 1);
  ::setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(cache_folder().value(), "/x/ingot");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/h", 1);
  EXPECT_EQ(cache_folder().value(), "/h/.cache/ingot");
  ::unsetenv("HOME");
  EXPECT_EQ(resolve_model("").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace ingot
