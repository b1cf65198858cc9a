// SPDX-License-Identifier: Apache-2.0
// A device with a program and a graph on it, driven super-step by super-step: the L3 calls of host programs, after
// X. Chen et al., "ThunderGP", FPGA 2021. An Accelerator owns all it uses; there may be any number of them, on any
// device. `run` (run.h) is the same in one call.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "gaspipe/run.h"

namespace gaspipe {

// A super-step in a profile.
struct ProfiledStep {
  SuperstepLog::Record step;
  std::vector<KernelTime> kernel_times;                  // of kernels, in their order; none on the CPU
  std::uint64_t bytes_to_card = 0, bytes_from_card = 0;  // moved by the host, 0 where there is no card
  bool verified = false;                                 // every vertex's property equals the CPU's
};

struct Profile {
  std::deque<ProfiledStep> steps;  // the last ones of `stats.supersteps`, at most SuperstepLog::kKept
  Stats stats;
};

class Accelerator {
 public:
  // acceleratorInit. The options are checked when a graph is there; those of device "fpga" hold an open card.
  Accelerator(const abi::Program& program, RunOptions options);
  ~Accelerator();

  const abi::Program& program() const { return program_; }
  const RunOptions& options() const { return options_; }
  // Instead of the scheduler that the options name, from the next preprocess on. InputError where a part is missing,
  // and on the CPU, which has no kernels to order.
  void register_scheduler(Scheduler scheduler);

  // acceleratorDataLoad. What was there is forgotten.
  void load(std::shared_ptr<const Graph> graph);
  // acceleratorDataPreprocess: partitions, and the properties that the first super-step starts from. Also restarts.
  void preprocess(Arguments arguments);
  // acceleratorSuperStep: all partitions once. False once the answer is there.
  bool superstep();
  // acceleratorProfile: all super-steps that are left; with `verify`, from the first on, each against the CPU's
  // method "gas" in the same number format: equal to the bit, in floating point up to rounding. DeviceError names the
  // super-step and vertex that differ.
  Profile profile(bool verify);

  // InputError before preprocess.
  const Partitioning& partitioning() const;
  std::vector<KernelDescription> kernels() const;  // none on the CPU
  std::vector<KernelArgument> arguments(const KernelDescription& kernel, std::uint32_t partition) const;
  Array<std::uint8_t> properties();
  const abi::Instance& instance() const;
  Stats stats() const;
  Result result();  // InputError before the last super-step
  // acceleratorDeinit: gives everything back. Every call but load is an InputError then.
  void close();

 private:
  Running& running() const;

  const abi::Program& program_;
  RunOptions options_;
  std::shared_ptr<const Graph> graph_;
  Arguments arguments_;
  std::unique_ptr<Running> running_;
  bool is_done_ = false;
};

// The L3 names.
inline std::unique_ptr<Accelerator> acceleratorInit(const std::string& algorithm, RunOptions options) {
  return std::make_unique<Accelerator>(find_program(algorithm), std::move(options));
}
inline void acceleratorDataLoad(Accelerator& accelerator, std::shared_ptr<const Graph> graph) {
  accelerator.load(std::move(graph));
}
inline void acceleratorDataPreprocess(Accelerator& accelerator, Arguments arguments) {
  accelerator.preprocess(std::move(arguments));
}
inline bool acceleratorSuperStep(Accelerator& accelerator) { return accelerator.superstep(); }
inline Profile acceleratorProfile(Accelerator& accelerator, bool verify) { return accelerator.profile(verify); }
inline void acceleratorDeinit(Accelerator& accelerator) { accelerator.close(); }
inline void registerScheduler(Accelerator& accelerator, Scheduler scheduler) {
  accelerator.register_scheduler(std::move(scheduler));
}
inline Partition getPartition(const Accelerator& accelerator, std::int64_t id) {
  return accelerator.partitioning().get_partition(id);
}
inline SubPartition getSubPartition(const Accelerator& accelerator, std::int64_t partition, std::int64_t id) {
  return getPartition(accelerator, partition).get_sub_partition(id);
}
// DeviceError where the device has no kernels, InputError for a unit or partition that there is none of.
std::vector<KernelDescription> kernelInit(const Accelerator& accelerator);
KernelDescription getGatherScatter(const Accelerator& accelerator, std::int64_t unit);
KernelDescription getApply(const Accelerator& accelerator);
// The arguments that a kernel is started with for a partition, in their order.
std::vector<KernelArgument> setGsKernel(const Accelerator& accelerator, std::int64_t partition, std::int64_t unit);
std::vector<KernelArgument> setApplyKernel(const Accelerator& accelerator, std::int64_t partition);

}  // namespace gaspipe
