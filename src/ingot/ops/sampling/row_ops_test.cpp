// Rows, input ids and stored samples.
#include "ingot/ops/sampling/row_ops.h"

#include <stdexcept>

#include <gtest/gtest.h>
#include <mlx/random.h>

namespace ingot {
namespace {

TEST(RowOps, GathersRows) {
  const array x = mx::random::normal({9, 37}), rows = array({8, 0, 3, 3});
  EXPECT_TRUE(mx::array_equal(gather_rows(x, rows), mx::take(x, rows, 0)).item<bool>());
}

TEST(RowOps, StepIdsMixHostAndSampled) {
  const array ids = step_ids(array({10, 11, 12, 13}), array({-1, 2, -1, 0}), array({100, 101, 102}));
  EXPECT_TRUE(mx::array_equal(ids, array({10, 102, 12, 100})).item<bool>());
}

TEST(RowOps, StoresInPlaceAndInStepOrder) {
  array last = array({0, 0, 0, 0});
  last.eval();
  const int32_t* buffer = last.data<int32_t>();
  for (int step = 1; step <= 3; ++step) {  // each step feeds on what the one before stored, all in one graph
    const array ids = step_ids(array({0, 0}), array({3, 1}), last);
    last = store_sampled(last, array({3, 1}), ids + array({1, 10}));
  }
  EXPECT_TRUE(mx::array_equal(last, array({0, 30, 0, 3})).item<bool>());
  EXPECT_EQ(last.data<int32_t>(), buffer);
}

TEST(RowOps, ABadIndexEndsTheStepNotTheProcess) {
  const array x = mx::zeros({2, 3});
  for (const int bad : {-1, 2}) {
    array rows = gather_rows(x, array({0, bad}));
    EXPECT_THROW(rows.eval(), std::runtime_error) << bad;  // MLX passes the text on, not the type
  }
  array fine = gather_rows(x, array({1}));
  EXPECT_NO_THROW(fine.eval());
}

}  // namespace
}  // namespace ingot
