// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/backend/kernel_ports.h"

#include <algorithm>

#include "gaspipe/error.h"
#include "hls/module/activity.h"

namespace gaspipe {
namespace {

std::uint64_t bytes_of_words(std::uint64_t num_values, std::int32_t value_bytes) {
  return (num_values * static_cast<std::uint64_t>(value_bytes) + 63) / 64 * 64;
}

}  // namespace

KernelPorts::KernelPorts(const abi::Instance& instance, const DeviceEdges& edges, const Schedule& schedule,
                         const Pipeline& pipeline, bool is_weighted)
    : instance_(instance),
      edges_(edges),
      gather_scatter_(find_kernel_table(pipeline.gather_scatter)),
      apply_(find_kernel_table(pipeline.apply)),
      num_units_(edges.partitioning().config().compute_units),
      shape_{is_weighted, static_cast<int>(num_units_), instance.num_aux},
      sub_partition_(edges.partitioning().size() * num_units_) {
  for (std::size_t p = 0; p < edges.partitioning().size(); ++p) {
    for (std::uint32_t i = 0; i < num_units_; ++i) sub_partition_[p * num_units_ + schedule.units[p][i]] = i;
  }
}

ArrayId KernelPorts::array(const LaunchId& launch, const Port& port, int i) const {
  const std::string name = port.name;
  const auto unit =
      static_cast<std::size_t>(launch.unit == kApplyUnit ? unit_of_memory(port.each, i, shape_.units) : launch.unit);
  const std::size_t sub_partition = launch.partition * num_units_ + unit;
  if (name == "properties") return {ArrayKind::kProperties, unit, port.name};
  if (name == "updated") return {ArrayKind::kUpdated, unit, port.name};
  if (name == "gathered") return {ArrayKind::kGathered, sub_partition, port.name};
  if (name == "aux") return {ArrayKind::kAux, static_cast<std::size_t>(i), port.name};
  if (name == "sums") return {ArrayKind::kSums, launch.partition, port.name};
  return {ArrayKind::kEdges, sub_partition, port.name};
}

std::uint32_t KernelPorts::scalar(const LaunchId& launch, const Port& port, int i, const std::uint32_t* arg) const {
  const std::string name = port.name;
  const abi::Partition& partition = edges_.partitioning().table().partitions[launch.partition];
  if (name == "first") return partition.first;
  if (name == "last") return partition.last;
  if (name == "num_words") return sub_partition(launch.partition, static_cast<std::size_t>(launch.unit)).num_words;
  if (name == "num_sub_partitions") return 1;
  if (name == "num_cleared") return 0;  // what an executor sets itself, where a launch has to clear
  if (name == "arg") return arg == nullptr ? 0 : arg[i];
  throw Error(message("nothing is known for port ", name, " of a kernel"));
}

std::uint64_t KernelPorts::num_bytes(const ArrayId& array) const {
  const Partitioning& partitioning = edges_.partitioning();
  const auto n = partitioning.csr().num_rows;  // of a domain with its ghosts, which are no columns
  switch (array.kind) {
    case ArrayKind::kEdges:
      return sub_partition(array.number / num_units_, array.number % num_units_).array(array.name).num_bytes;
    case ArrayKind::kGathered: {
      const abi::Partition& partition = partitioning.table().partitions[array.number / num_units_];
      return bytes_of_words(partition.last - partition.first, instance_.update_bytes);
    }
    case ArrayKind::kAux:
      return bytes_of_words(n, instance_.aux_bytes);
    case ArrayKind::kSums:
      return bytes_of_words(static_cast<std::uint64_t>(std::max(1, instance_.num_extras)), 8) + sizeof(ActivityWord);
    default:
      return bytes_of_words(n, instance_.property_bytes);
  }
}

EdgeCount KernelPorts::num_edges(std::size_t partition, std::size_t unit) const {
  const Partition part = edges_.partitioning().get_partition(static_cast<std::int64_t>(partition));
  return part.get_sub_partition(sub_partition_[partition * num_units_ + unit]).num_edges();
}

std::vector<KernelArgument> kernel_arguments(const KernelPorts* of, const LaunchId& launch) {
  if (of == nullptr) throw InputError("these kernels are started for all partitions at once, not for one");
  const KernelPorts& ports = *of;
  std::vector<KernelArgument> arguments;
  ports.each(ports.kernel(launch.unit), [&](const Port& port, int i) {
    if (port.each == Each::kArgWord) return;  // another in every super-step
    const bool is_numbered = port.each != Each::kOne && port.each != Each::kIfWeighted;
    KernelArgument argument;
    argument.name = is_numbered ? message(port.name, "_", i) : port.name;
    argument.is_buffer = is_memory(port.kind);
    if (argument.is_buffer) {
      argument.num_bytes = ports.num_bytes(ports.array(launch, port, i));
    } else {
      argument.value = ports.scalar(launch, port, i, nullptr);
    }
    arguments.push_back(std::move(argument));
  });
  return arguments;
}

}  // namespace gaspipe
