// Each task once, run after run.
#include "ingot/weights/workers.h"

#include <gtest/gtest.h>

namespace ingot {
namespace {

TEST(Workers, RunsEachTaskOnce) {
  for (const int num_threads : {1, 2, 5}) {
    Workers workers(num_threads);
    for (int run = 0; run < 500; ++run) {
      std::vector<std::atomic<int>> done(static_cast<size_t>(run % 40));
      workers.run(static_cast<int>(done.size()), [&](int i) { ++done[static_cast<size_t>(i)]; });
      for (const auto& count : done) ASSERT_EQ(count, 1) << num_threads << " threads, run " << run;
    }
  }
}

}  // namespace
}  // namespace ingot
