// SPDX-License-Identifier: Apache-2.0
// The CPU: the engine of gaspipe/engine over partitions that fit a core's cache.
#include <algorithm>

#include "executor.h"

namespace gaspipe {
namespace {

constexpr EdgeCount kMostEdgesInOneShare = 1 << 15;

PartitionConfig choose_partition(const Csr& csr, int num_threads) {
  PartitionConfig config;
  const std::uint64_t num_partitions = (std::uint64_t(csr.num_rows) + config.capacity - 1) / config.capacity;
  const std::uint64_t wanted = std::uint64_t(4) * num_threads;  // shares enough for the threads to end together
  if (num_threads > 1 && num_partitions < wanted && csr.num_edges() > kMostEdgesInOneShare) {
    config.compute_units = static_cast<std::uint32_t>(
        std::min<std::uint64_t>((wanted + num_partitions - 1) / num_partitions, kMostComputeUnits));
  }
  return config;
}

class Cpu : public Executor {
 public:
  Cpu(const Placement& placement, Workers& workers) : instance_(placement.instance) {
    const auto csr = placement.graph.view(placement.view, workers);
    const PartitionConfig config =
        placement.options.partition ? *placement.options.partition : choose_partition(*csr, workers.size());
    partitioning_ = placement.graph.partition(placement.view, config, placement.edge_type, workers);
    if (placement.edge_type != abi::kNone) {
      weights_ = placement.graph.weights_as(placement.view, placement.edge_type, workers);
    }
  }

  abi::Status open(const Attempt& attempt, abi::Outcome* outcome) override {
    session_ = {};
    csr_ = attempt.csr;
    csr_.weights = weights_.data();
    const abi::Run run{&attempt.host,      &csr_,         &partitioning_->table(), attempt.arguments, attempt.method,
                       attempt.scale_bits, attempt.values};
    return static_cast<abi::Status>(instance_.open(&run, outcome, session_.table()));
  }
  abi::Status step(abi::Outcome* outcome) override {
    return static_cast<abi::Status>(session_->step(session_->self, outcome));
  }
  void read_properties(void* data) override { session_->read_properties(session_->self, data); }
  void describe(Stats& stats) const override {
    stats.device = "cpu";
    stats.partition = partitioning_->config();
  }
  const Partitioning& partitioning() const override { return *partitioning_; }

 private:
  const abi::Instance& instance_;
  std::shared_ptr<const Partitioning> partitioning_;
  Array<std::uint8_t> weights_;
  abi::Csr csr_{};
  OpenSession session_;
};

}  // namespace

std::unique_ptr<Executor> make_cpu(const Placement& placement, Workers& workers) {
  return std::make_unique<Cpu>(placement, workers);
}

}  // namespace gaspipe
