// What of the environment is shown.
#include "ingot/cli/collect_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingot::cli {
namespace {

TEST(CollectEnv, RelevantNamesWithoutSecrets) {
  const std::vector<std::string> environment = {
      "PATH=/bin",     "VLLM_API_KEY=very-secret", "OMP_NUM_THREADS=2", "INGOT_CPU_ISA=avx2",
      "HF_TOKEN=hf_x", "OPENAI_API_KEY=sk-x",      "MY_INGOT_X=1",      "LD_LIBRARY_PATH=/opt/lib"};
  EXPECT_THAT(relevant_environment(environment),
              ::testing::ElementsAre("HF_TOKEN=(set, not shown)", "INGOT_CPU_ISA=avx2", "LD_LIBRARY_PATH=/opt/lib",
                                     "OMP_NUM_THREADS=2", "VLLM_API_KEY=(set, not shown)"));
}

}  // namespace
}  // namespace ingot::cli
