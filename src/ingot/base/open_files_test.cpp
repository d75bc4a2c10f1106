// The limit is raised for real, and told.
#include "ingot/base/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace ingot {
namespace {

TEST(OpenFiles, TheSoftLimitRisesToTheHardOne) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit lowered{64, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &lowered), 0);
  EXPECT_EQ(max_open_files(), 64);
  EXPECT_GT(raise_max_open_files(), 64);
  rlimit raised{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &raised), 0);
#ifndef __APPLE__
  EXPECT_EQ(raised.rlim_cur, raised.rlim_max);
#endif
  EXPECT_EQ(raised.rlim_max, before.rlim_max);
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace ingot
