// SPDX-License-Identifier: Apache-2.0
// A device without a card: buffers in the host's memory, and the kernels run by the emulator. It does what a card's
// host code does, compute unit by compute unit: gather-scatter over every sub-partition, each on the unit that the
// schedule gives it, then apply per partition.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cpp/src/backend/host_device.h"
#include "cpp/src/backend/idle_edges.h"
#include "cpp/src/backend/kernel_ports.h"
#include "cpp/src/clock.h"
#include "cpp/src/predict/predictor.h"
#include "gaspipe/abi.h"
#include "gaspipe/boards.h"
#include "gaspipe/device_edges.h"
#include "gaspipe/kernel_runs.h"
#include "gaspipe/schedule.h"
#include "gaspipe/workers.h"

namespace gaspipe {

class EmulatedDevice : public HostDevice {
 public:
  // `ports` are of `edges` and `schedule`. `predictor` is told what the kernels took or, where `predictor_times`, asked
  // to time them; null: no prediction. `skips`: of edges along which no vertex sends. All outlive this.
  EmulatedDevice(const abi::Instance& instance, const DeviceEdges& edges, const Schedule& schedule,
                 const KernelPorts& ports, abi::Execution execution, predict::Predictor* predictor,
                 bool predictor_times, Skips skips, Workers& workers);

  const std::vector<KernelTime>& kernel_times() const { return kernel_times_; }

 private:
  using Block = Word<std::uint64_t>;
  using Buffer = std::vector<Block>;

  void write_properties(const void* data, std::uint64_t num_bytes) override;
  void write_aux(std::size_t k, const void* data, std::uint64_t num_bytes) override;
  void superstep(const void* arg, void* sums, abi::Superstep* stats) override;
  void read_properties(void* data, std::uint64_t num_bytes) override;
  void gather_scatter(std::size_t partition, std::size_t sub_partition, int worker);
  void apply(std::size_t partition, const void* arg, int worker);
  void pass_over(std::size_t partition, std::size_t unit);
  void run(const LaunchId& launch, const void* arg, int worker);
  abi::Buffer buffer(const ArrayId& array);
  abi::Emulation emulation(int worker);

  const abi::Instance& instance_;
  const Schedule& schedule_;
  const KernelPorts& ports_;
  const LineOrder& lines_;
  abi::Execution execution_;
  predict::Predictor* predictor_;
  bool predictor_times_;
  Workers& workers_;
  std::uint32_t num_vertices_;
  std::size_t num_partitions_, num_units_;
  std::vector<Buffer> properties_, updated_;  // a copy per compute unit, as each reads its own bank
  std::vector<Buffer> aux_;
  std::vector<Buffer> gathered_;  // per partition and unit
  std::vector<Buffer> sums_;      // per partition, of Instance::sum_type
  IdleEdges idle_;
  bool has_begun_ = false;                // a card would have begun the next super-step by itself (card/device.h)
  std::vector<KernelTime> kernel_times_;  // of the last super-step: per partition its units, then its apply
  std::vector<std::string> reports_;      // per worker
  struct Asking {
    Workers* workers;
    int worker;
    predict::KernelTiming timing;
  };
  std::vector<Asking> asking_;  // per worker
  Clock::time_point superstep_start_;
};

}  // namespace gaspipe
