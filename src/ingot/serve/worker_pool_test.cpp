// Order, long jobs, the end.
#include "ingot/serve/worker_pool.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>

#include <gtest/gtest.h>

namespace ingot::serve {
namespace {

using std::chrono::seconds;

TEST(WorkerPool, OneThreadRunsInOrder) {
  std::vector<int> ran;
  {
    WorkerPool pool(1);
    for (int i = 0; i < 100; ++i) pool.post([&ran, i] { ran.push_back(i); }, i % 3 == 0);
  }
  ASSERT_EQ(ran.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(ran));
}

TEST(WorkerPool, LongJobsLeaveAThreadToTheOthers) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::atomic<int> num_long = 0, most_long = 0, ended = 0;
  std::optional<WorkerPool> pool(3);
  for (int i = 0; i < 8; ++i) {
    const auto job = [&, released] {
      most_long = std::max(most_long.load(), ++num_long);
      released.wait();
      --num_long;
      ++ended;
    };
    pool->post(job, true);
  }
  for (int i = 0; i < 20; ++i) {
    auto done = std::make_shared<std::promise<void>>();
    pool->post([done] { done->set_value(); });
    ASSERT_EQ(done->get_future().wait_for(seconds(10)), std::future_status::ready) << i;
  }
  EXPECT_EQ(ended, 0);
  release.set_value();
  pool.reset();
  EXPECT_EQ(ended, 8);
  EXPECT_LE(most_long, 2);
}

TEST(WorkerPool, FreesAJobBeforeItWaits) {
  WorkerPool pool(1);
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> weak = held;
  std::promise<void> next;
  pool.post([held = std::move(held)] {});
  pool.post([&next] { next.set_value(); });
  ASSERT_EQ(next.get_future().wait_for(seconds(10)), std::future_status::ready);
  EXPECT_TRUE(weak.expired());
}

}  // namespace
}  // namespace ingot::serve
