// SPDX-License-Identifier: Apache-2.0
// What the ports of a run's kernels lead to, by the tables of ports: the one place that knows a port's name. A kernel
// is started for a partition, by one compute unit (gather-scatter) or by all together (apply). An executor has memory
// for every array that is named here, and passes on the scalars.
#pragma once

#include <vector>

#include "cpp/src/backend/kernel_table.h"
#include "gaspipe/device_edges.h"
#include "gaspipe/kernel_runs.h"
#include "gaspipe/schedule.h"

namespace gaspipe {

enum class ArrayKind { kEdges, kGathered, kProperties, kUpdated, kAux, kSums };

// An array in a device's memory.
struct ArrayId {
  ArrayKind kind;
  // kEdges and kGathered: partition * compute units + unit; kProperties and kUpdated: compute unit; kAux: input; kSums:
  // partition.
  std::size_t number;
  const char* name;  // of kEdges: which of the sub-partition's (DeviceEdges::SubPartition::array)
};

// A kernel started for a partition.
struct LaunchId {
  std::uint32_t partition;
  std::int32_t unit;  // kApplyUnit: apply
};

class KernelPorts {
 public:
  // All outlive this. A sub-partition's edges are those of the unit that the schedule gives it to.
  KernelPorts(const abi::Instance& instance, const DeviceEdges& edges, const Schedule& schedule,
              const Pipeline& pipeline, bool is_weighted);

  const KernelShape& shape() const { return shape_; }
  const KernelTable& kernel(std::int32_t unit) const { return unit == kApplyUnit ? apply_ : gather_scatter_; }

  // Of several ports, number `i`.
  ArrayId array(const LaunchId& launch, const Port& port, int i) const;
  // Of a super-step's argument, `arg` has the words.
  std::uint32_t scalar(const LaunchId& launch, const Port& port, int i, const std::uint32_t* arg) const;
  std::uint64_t num_bytes(const ArrayId& array) const;
  const DeviceEdges::SubPartition& sub_partition(std::size_t partition, std::size_t unit) const {
    return edges_.sub_partition(partition, sub_partition_[partition * num_units_ + unit]);
  }
  EdgeCount num_edges(std::size_t partition, std::size_t unit) const;  // of it, without padding

  // Ports of a kernel in order, several of one each: visit(port, i).
  template <class Visit>
  void each(const KernelTable& kernel, const Visit& visit) const {
    for (std::size_t p = 0; p < kernel.num_ports; ++p) {
      for (int i = 0; i < num_of(kernel.ports[p].each, shape_); ++i) visit(kernel.ports[p], i);
    }
  }

 private:
  const abi::Instance& instance_;
  const DeviceEdges& edges_;
  const KernelTable &gather_scatter_, &apply_;
  std::size_t num_units_;
  KernelShape shape_;
  std::vector<std::uint32_t> sub_partition_;  // of a partition and unit
};

}  // namespace gaspipe
