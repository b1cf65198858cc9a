// SPDX-License-Identifier: Apache-2.0
// A fourth executor, whole: the CPU's, with its super-steps counted. It is in the registry of the test executable
// alone.
#include "cpp/src/backend/executor.h"

#include "gaspipe/error.h"

namespace gaspipe {
namespace {

const ExecutorKind& cpu() { return find_executor("cpu"); }

class Counting : public Executor {
 public:
  Counting(const Placement& placement, Workers& workers)
      : limit_(which_of(placement.options.device)), cpu_(cpu().make(placement, workers)) {}

  abi::Status open(const Attempt& attempt, abi::Outcome* outcome) override {
    Attempt one_by_one = attempt;
    one_by_one.in_series = false;
    return cpu_->open(one_by_one, outcome);
  }
  abi::Status step(abi::Outcome* outcome) override {
    ++num_steps_;
    return cpu_->step(outcome);
  }
  void read_properties(void* data) override { cpu_->read_properties(data); }
  void snapshot(abi::Snapshot* snapshot) override { cpu_->snapshot(snapshot); }
  void describe(Stats& stats) const override {
    cpu_->describe(stats);
    stats.device = "counting";
    stats.execution = message(num_steps_, " of ", limit_);
  }
  double preparing_seconds() const override { return cpu_->preparing_seconds(); }
  const Partitioning& partitioning() const override { return cpu_->partitioning(); }

 private:
  std::string limit_;
  std::unique_ptr<Executor> cpu_;
  int num_steps_ = 0;
};

}  // namespace

namespace executor {

extern const ExecutorKind counting{"counting",
                                   "a limit",
                                   "10",
                                   "OnCpu",
                                   /*has_kernels=*/false,
                                   /*predicts=*/false,
                                   /*needs_card=*/false,
                                   [](const std::string& which) {
                                     if (which.empty()) throw InputError("counting needs a limit");
                                   },
                                   [] { return std::vector<FoundDevice>{{"counting:10", "the CPU, counted"}}; },
                                   [](const abi::Instance& instance) { return instance.open != nullptr; },
                                   nullptr,
                                   [](const Placement& placement, Workers& workers) -> std::unique_ptr<Executor> {
                                     return std::make_unique<Counting>(placement, workers);
                                   }};

}  // namespace executor
}  // namespace gaspipe
