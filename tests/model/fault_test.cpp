// A kernel that throws in the middle of a step fails that step's requests; the next request is served as if nothing had
// been.
#include <atomic>
#include <stdexcept>
#include <thread>

#include "model_test_engine.h"
#include <gtest/gtest.h>

#include "ingot/checkpoint/checkpoint.h"
#include "ingot/engine/start_engine.h"
#include "ingot/hub/resolve.h"
#include "ingot/models/registry.h"
#include "ingot/ops/cpu/cpu_op.h"

namespace ingot::testing {
namespace {

// The default model, with a kernel at its end that throws when told to.
class FaultyModel final : public CausalLm {
 public:
  FaultyModel(std::unique_ptr<CausalLm> inner, std::shared_ptr<std::atomic<bool>> fails)
      : inner_(std::move(inner)), fails_(std::move(fails)) {}

  array hidden(Step& step) const override {
    const array h = inner_->hidden(step);
    return cpu::cpu_op("fault", {h}, {{h.shape(), mx::float32}}, [fails = fails_](const auto& in, auto& out) {
      if (*fails) throw std::runtime_error("the kernel's own fault");
      std::copy_n(in[0].template data<float>(), in[0].size(), out[0].template data<float>());
    })[0];
  }

  array logits(const array& hidden) const override { return inner_->logits(hidden); }
  std::vector<KvSpec> kv_spec() const override { return inner_->kv_spec(); }

 private:
  std::unique_ptr<CausalLm> inner_;
  std::shared_ptr<std::atomic<bool>> fails_;
};

StartedEngine start_faulty(const std::shared_ptr<std::atomic<bool>>& fails) {
  const std::shared_ptr<const Checkpoint> checkpoint = open_checkpoint(resolve_model("").value()).value();
  const Architecture& architecture = *find_architecture(checkpoint->config()).value();
  const ModelConfig config = architecture.read_config(checkpoint->config()).value();
  EngineSettings settings;
  settings.scheduler.max_model_len = 1024;
  settings.scheduler.verify_each_step = true;
  settings.kv_budget.memory_bytes = int64_t{1} << 30;
  settings.vocab_size = config.vocab_size;
  return start_engine(settings,
                      [&]() -> Result<EngineModel> {
                        WeightSource source(*checkpoint);
                        auto model = architecture.make(config, source.root());
                        source.finish(architecture.ignored);
                        return EngineModel{std::make_unique<FaultyModel>(std::move(model), fails), source.digest(), 0};
                      })
      .value();
}

TEST(Fault, AThrowingKernelFailsItsStepOnly) {
  const auto fails = std::make_shared<std::atomic<bool>>(false);
  const StartedEngine started = start_faulty(fails);
  Engine& engine = *started.engine;
  const std::vector<int32_t> prompt(40, 500);
  const Output before = run(engine, make_request(prompt, 8, 0.0f, 1));
  EXPECT_EQ(before.finish, FinishReason::kLength);
  for (int round = 0; round < 3; ++round) {
    std::future<Output> victim = start(engine, make_request(prompt, 500, 0.0f, 1));
    while (engine.stats().num_running == 0) std::this_thread::yield();
    *fails = true;
    const Output failed = victim.get();
    *fails = false;
    EXPECT_EQ(failed.finish, FinishReason::kError);
    EXPECT_TRUE(engine.ready());
    EXPECT_TRUE(run(engine, make_request(prompt, 8, 0.0f, 1)) == before) << "round " << round;
  }
}

}  // namespace
}  // namespace ingot::testing
