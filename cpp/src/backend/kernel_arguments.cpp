// SPDX-License-Identifier: Apache-2.0
// What a kernel is started with for a partition, by the table of its ports.
#include "cpp/src/backend/executor.h"
#include "gaspipe/error.h"
#include "hls/kernel/apply.ports.h"
#include "hls/kernel/gather_scatter.ports.h"

namespace gaspipe {
namespace {

std::uint64_t bytes_of_words(std::uint64_t num_values, std::int32_t value_bytes) {
  return (num_values * static_cast<std::uint64_t>(value_bytes) + 63) / 64 * 64;
}

}  // namespace

std::vector<KernelArgument> kernel_arguments(const abi::Instance& instance, const DeviceEdges& edges,
                                             const Schedule& schedule, std::int32_t unit, std::uint32_t partition) {
  const Partition part = edges.partitioning().get_partition(partition);
  const std::vector<std::uint32_t>& units = schedule.units[partition];
  std::size_t slice = 0;
  while (unit != kApplyUnit && units[slice] != static_cast<std::uint32_t>(unit)) ++slice;
  const DeviceEdges::Share& share = edges.share(partition, slice);
  const std::uint64_t n = edges.partitioning().csr().num_columns, width = part.last_vertex() - part.first_vertex();
  const auto value_of = [&](const std::string& name) {
    return name == "num_words" ? share.num_words : name == "first" ? part.first_vertex() : part.last_vertex();
  };
  const auto bytes_of = [&](const std::string& name) -> std::uint64_t {
    if (name == "sources" || name == "destinations") return share.sources.size() * sizeof(Word<VertexId>);
    if (name == "weights") return share.weights.size() * sizeof(Word<std::uint64_t>);
    if (name == "gathered") return bytes_of_words(width, instance.update_bytes);
    if (name == "aux") return bytes_of_words(n, instance.aux_bytes);
    if (name == "sums") return bytes_of_words(static_cast<std::uint64_t>(instance.num_extras), 8);
    return bytes_of_words(n, instance.property_bytes);
  };
  const KernelShape shape{share.weights.size() > 0, static_cast<int>(units.size()), instance.num_aux};
  std::vector<KernelArgument> arguments;
  const auto add = [&](const Port& port) {
    const int number = num_of(port.each, shape);
    const bool is_numbered = port.each != Each::kOne && port.each != Each::kIfWeighted;
    if (port.each == Each::kArgWord) return;  // another in every super-step
    for (int i = 0; i < number; ++i) {
      KernelArgument argument;
      argument.name = is_numbered ? message(port.name, "_", i) : port.name;
      argument.is_buffer = port.kind != PortKind::kScalar;
      if (argument.is_buffer) {
        argument.num_bytes = bytes_of(port.name);
      } else {
        argument.value = value_of(port.name);
      }
      arguments.push_back(std::move(argument));
    }
  };
  if (unit == kApplyUnit) {
    for (const Port& port : kernel::apply::kPorts) add(port);
  } else {
    for (const Port& port : kernel::gather_scatter::kPorts) add(port);
  }
  return arguments;
}

}  // namespace gaspipe
