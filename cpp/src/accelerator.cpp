// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/accelerator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "gaspipe/error.h"

namespace gaspipe {
namespace {

// How far two sums of the same terms, in another order, may lie apart: relative to the value, and to the largest of
// all.
template <class T>
struct Tolerance {
  static constexpr double relative = 0, of_largest = 0;
};
template <>
struct Tolerance<float> {
  static constexpr double relative = 1e-4, of_largest = 1e-6;
};
template <>
struct Tolerance<double> {
  static constexpr double relative = 1e-9, of_largest = 1e-12;
};

template <class T>
bool agree(T a, T b, double largest) {
  if (std::memcmp(&a, &b, sizeof a) == 0 || a == b) return true;
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (std::isinf(a) || std::isinf(b)) return false;
    return std::fabs(double(a) - double(b)) <=
           Tolerance<T>::relative * std::max(std::fabs(a), std::fabs(b)) + Tolerance<T>::of_largest * largest;
  }
  return false;
}

// Throws where the two differ.
template <class T>
void compare(const Array<std::uint8_t>& found, const Array<std::uint8_t>& expected, std::size_t step,
             const std::string& device) {
  const auto* left = reinterpret_cast<const T*>(found.data());
  const auto* right = reinterpret_cast<const T*>(expected.data());
  const std::size_t n = expected.size() / sizeof(T);
  double largest = 0;
  if constexpr (std::is_floating_point_v<T>) {
    for (std::size_t v = 0; v < n; ++v) {
      if (std::isfinite(right[v])) largest = std::max<double>(largest, std::fabs(right[v]));
    }
  }
  std::size_t differing = 0, first = 0;
  for (std::size_t v = n; v-- > 0;) {
    if (agree(left[v], right[v], largest)) continue;
    ++differing;
    first = v;
  }
  if (differing == 0) return;
  throw DeviceError(message("super-step ", step, " on ", device, " differs from the CPU's in ", differing, " of ", n,
                            " vertices; the first is vertex ", first, ", ", left[first], " instead of ", right[first]));
}

void compare(abi::Scalar type, const Array<std::uint8_t>& found, const Array<std::uint8_t>& expected, std::size_t step,
             const std::string& device) {
  switch (type) {
    case abi::kInt32:
      return compare<std::int32_t>(found, expected, step, device);
    case abi::kUint32:
      return compare<std::uint32_t>(found, expected, step, device);
    case abi::kInt64:
      return compare<std::int64_t>(found, expected, step, device);
    case abi::kUint64:
      return compare<std::uint64_t>(found, expected, step, device);
    case abi::kFloat32:
      return compare<float>(found, expected, step, device);
    default:
      return compare<double>(found, expected, step, device);
  }
}

bool has_floats(const abi::Instance& instance) {
  return instance.property_type == abi::kFloat32 || instance.property_type == abi::kFloat64;
}

const KernelDescription& kernel_of_unit(const std::vector<KernelDescription>& kernels, std::int64_t unit) {
  for (const KernelDescription& kernel : kernels) {
    if (kernel.unit == unit) return kernel;
  }
  throw InputError(message("there is no compute unit ", unit, "; there are 0 to ", kernels.size() - 2));
}

}  // namespace

Accelerator::Accelerator(const abi::Program& program, RunOptions options)
    : program_(program), options_(std::move(options)) {}
Accelerator::~Accelerator() = default;

void Accelerator::register_scheduler(Scheduler scheduler) {
  if (!scheduler.init || !scheduler.arrange_sub_partitions || !scheduler.arrange_partitions) {
    throw InputError("a scheduler has three parts: init, the order of sub-partitions and that of partitions");
  }
  RunOptions options = options_;
  options.own_scheduler = std::move(scheduler);
  check_scheduler(options);
  options_ = std::move(options);
}

void Accelerator::load(std::shared_ptr<const Graph> graph) {
  close();
  graph_ = std::move(graph);
}

void Accelerator::preprocess(Arguments arguments) {
  if (!graph_) throw InputError("there is no graph; call acceleratorDataLoad first");
  running_.reset();
  is_done_ = false;
  arguments_ = std::move(arguments);
  running_ = std::make_unique<Running>(program_, *graph_, arguments_, options_);
}

bool Accelerator::superstep() {
  if (is_done_) throw InputError("the run is done; acceleratorDataPreprocess begins another");
  is_done_ = !running().step();
  return !is_done_;
}

Profile Accelerator::profile(bool verify) {
  if (is_done_) throw InputError("the run is done; acceleratorDataPreprocess begins another");
  Profile profile;
  std::unique_ptr<Running> expected;
  RunOptions on_cpu;
  if (verify) {
    if (!running().stats().supersteps.empty()) {
      throw InputError("only a whole run can be verified; call acceleratorDataPreprocess, then acceleratorProfile");
    }
    on_cpu.method = "gas";
    on_cpu.number = options_.card ? running().instance().number : options_.number;
    on_cpu.num_threads = options_.num_threads;
    on_cpu.interrupted = options_.interrupted;
    expected = std::make_unique<Running>(program_, *graph_, arguments_, on_cpu);
  }
  bool goes_on = true, expected_goes_on = true;
  Stats before = running().stats();
  while (goes_on) {
    goes_on = superstep();
    const Stats stats = running().stats();
    const bool began_again = stats.attempts != before.attempts;
    if (began_again) profile.steps.clear();
    const bool stepped = !began_again && stats.supersteps.size() > before.supersteps.size();
    if (expected && expected_goes_on) {
      // More than once where a device knew the scale beforehand, from attempts that it made before its first step.
      Stats same;
      do {
        expected_goes_on = expected->step();
        same = expected->stats();
      } while (expected_goes_on &&
               std::pair(same.attempts, same.supersteps.size()) < std::pair(stats.attempts, stats.supersteps.size()));
      if (same.attempts != stats.attempts || same.supersteps.size() != stats.supersteps.size()) {
        throw DeviceError(message("on ", stats.device, " the run is at super-step ", stats.supersteps.size(),
                                  " of attempt ", stats.attempts, ", on the CPU at ", same.supersteps.size(), " of ",
                                  same.attempts));
      }
    }
    if (stepped) {
      ProfiledStep step;
      step.step = stats.supersteps.back();
      step.kernel_times = running().kernel_times();
      step.bytes_to_card = stats.card.calls.bytes_to_card - before.card.calls.bytes_to_card;
      step.bytes_from_card = stats.card.calls.bytes_from_card - before.card.calls.bytes_from_card;
      if (expected && expected->stats().supersteps.size() == stats.supersteps.size()) {
        compare(static_cast<abi::Scalar>(instance().property_type), running().properties(), expected->properties(),
                step.step.step, stats.device);
        step.verified = true;
      }
      profile.steps.push_back(std::move(step));
      if (profile.steps.size() > SuperstepLog::kKept) profile.steps.pop_front();
    }
    before = running().stats();
  }
  if (expected && expected_goes_on && !has_floats(instance())) {
    throw DeviceError(message("the run ended after ", before.supersteps.size(), " super-steps; on the CPU it goes on"));
  }
  profile.stats = running().stats();
  return profile;
}

Running& Accelerator::running() const {
  if (!running_) throw InputError("nothing is prepared; call acceleratorDataPreprocess first");
  return *running_;
}

const Partitioning& Accelerator::partitioning() const { return running().partitioning(); }
std::vector<KernelDescription> Accelerator::kernels() const { return running().kernels(); }
std::vector<KernelArgument> Accelerator::arguments(const KernelDescription& kernel, std::uint32_t partition) const {
  return running().arguments(kernel, partition);
}
Array<std::uint8_t> Accelerator::properties() { return running().properties(); }
const abi::Instance& Accelerator::instance() const { return running().instance(); }
Stats Accelerator::stats() const { return running().stats(); }
Result Accelerator::result() {
  if (!is_done_) throw InputError("there is no answer yet; acceleratorSuperStep says when there is");
  return running().result();
}
void Accelerator::close() {
  running_.reset();
  graph_.reset();
  arguments_.clear();
  is_done_ = false;
}

std::vector<KernelDescription> kernelInit(const Accelerator& accelerator) {
  std::vector<KernelDescription> kernels = accelerator.kernels();
  if (kernels.empty()) {
    throw DeviceError(message("device \"", accelerator.options().device, "\" has no kernels; an emulator or card has"));
  }
  return kernels;
}
KernelDescription getGatherScatter(const Accelerator& accelerator, std::int64_t unit) {
  const std::vector<KernelDescription> kernels = kernelInit(accelerator);
  return kernel_of_unit(kernels, unit < 0 ? static_cast<std::int64_t>(kernels.size()) : unit);
}
KernelDescription getApply(const Accelerator& accelerator) {
  return kernel_of_unit(kernelInit(accelerator), kApplyUnit);
}
std::vector<KernelArgument> setGsKernel(const Accelerator& accelerator, std::int64_t partition, std::int64_t unit) {
  const KernelDescription kernel = getGatherScatter(accelerator, unit);
  return accelerator.arguments(kernel, accelerator.partitioning().get_partition(partition).index());
}
std::vector<KernelArgument> setApplyKernel(const Accelerator& accelerator, std::int64_t partition) {
  const KernelDescription kernel = getApply(accelerator);
  return accelerator.arguments(kernel, accelerator.partitioning().get_partition(partition).index());
}

}  // namespace gaspipe
