// SPDX-License-Identifier: Apache-2.0
// Where a graph's arrays lie on a card, and the runs over them.
#include <algorithm>

#include "cpp/src/backend/card/parts.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

// A domain may have no vertices, and a card allocates no empty buffers.
std::uint64_t at_least_a_word(std::uint64_t num_bytes) { return std::max<std::uint64_t>(num_bytes, 64); }

std::vector<MemoryBank> common(const std::vector<MemoryBank>& a, const std::vector<MemoryBank>& b) {
  std::vector<MemoryBank> both;
  for (const MemoryBank& bank : a) {
    const bool in_b =
        std::any_of(b.begin(), b.end(), [&](const MemoryBank& other) { return other.index == bank.index; });
    if (in_b) both.push_back(bank);
  }
  return both;
}

// The banks that a graph's arrays may lie in, by the ports that they are connected to.
struct ArrayBanks {
  ArrayBanks(const LoadedCard::Parts& parts, const KernelPorts& ports) : parts(parts), ports(ports) {
    const auto read_by_apply = static_cast<std::size_t>(unit_of_memory(Each::kOne, 0, ports.shape().units));
    for (std::size_t unit = 0; unit < parts.units.size(); ++unit) {
      properties.push_back(met(of_unit(unit, "properties"), of_apply("updated", unit), unit, "properties"));
      if (unit == read_by_apply) {
        properties[unit] = met(properties[unit], of_apply("properties"), unit, "properties");
      }
      gathered.push_back(met(of_unit(unit, "gathered"), of_apply("gathered", unit), unit, "gathered"));
    }
  }
  const std::vector<MemoryBank>& of_unit(std::size_t unit, const char* port) const {
    return parts.units[unit]->banks(argument_index(ports.kernel(static_cast<int>(unit)), port, ports.shape()));
  }
  const std::vector<MemoryBank>& of_apply(const char* port, std::size_t i = 0) const {
    return parts.apply->banks(argument_index(ports.kernel(kApplyUnit), port, ports.shape()) + static_cast<int>(i));
  }
  std::vector<MemoryBank> met(const std::vector<MemoryBank>& a, const std::vector<MemoryBank>& b, std::size_t unit,
                              const char* port) const {
    std::vector<MemoryBank> banks = common(a, b);
    if (banks.empty()) {
      throw DeviceError(message(parts.design.xclbin, ": argument ", port, " of ", parts.design.units[unit],
                                " and what ", parts.design.apply_unit, " reads of it share no bank; build it again"));
    }
    return banks;
  }

  const LoadedCard::Parts& parts;
  const KernelPorts& ports;
  std::vector<std::vector<MemoryBank>> properties, gathered;  // per unit
};

// What has the least choice of banks first: edges fill what is left.
std::vector<BufferRequest> requests_of(CardGraph& graph, const ArrayBanks& banks) {
  const KernelPorts& ports = banks.ports;
  const std::size_t num_units = graph.num_units;
  std::vector<BufferRequest> requests;
  for (std::size_t unit = 0; unit < num_units; ++unit) {
    for (auto& set : graph.properties) {
      requests.push_back({&set[unit], &banks.properties[unit],
                          at_least_a_word(ports.num_bytes({ArrayKind::kProperties, unit, ""})), "properties", false,
                          kNoPartition, static_cast<int>(unit)});
    }
  }
  for (std::size_t k = 0; k < graph.aux.size(); ++k) {
    requests.push_back({&graph.aux[k], &banks.of_apply("aux", k),
                        at_least_a_word(ports.num_bytes({ArrayKind::kAux, k, ""})), "inputs", false, kNoPartition,
                        kApplyUnit});
  }
  for (std::size_t p = 0; p < graph.sums.size(); ++p) {
    requests.push_back({&graph.sums[p], &banks.of_apply("sums"), ports.num_bytes({ArrayKind::kSums, p, ""}), "sums",
                        false, static_cast<std::uint32_t>(p), kApplyUnit});
  }
  const auto add = [&](std::size_t sub_partition, CardGraph::Buffer& buffer, const std::vector<MemoryBank>& allowed,
                       std::uint64_t num_bytes, const std::string& what, bool of_edges) {
    requests.push_back({&buffer, &allowed, at_least_a_word(num_bytes), what, of_edges,
                        static_cast<std::uint32_t>(sub_partition / num_units),
                        static_cast<int>(sub_partition % num_units)});
  };
  for (std::size_t i = 0; i < graph.sub_partitions.size(); ++i) {
    add(i, graph.sub_partitions[i].gathered, banks.gathered[i % num_units],
        ports.num_bytes({ArrayKind::kGathered, i, ""}), "gathered updates", false);
  }
  for (std::size_t i = 0; i < graph.sub_partitions.size(); ++i) {
    for (auto& [name, buffer] : graph.sub_partitions[i].edges) {
      const std::string what = name;
      add(i, buffer, banks.of_unit(i % num_units, name), ports.num_bytes({ArrayKind::kEdges, i, name}),
          what == "edges" ? what : what + " of edges", true);
    }
  }
  return requests;
}

Launch make_launch(CardUnit& unit, CardGraph& graph, const KernelPorts& ports, const LaunchId& id, std::size_t parity) {
  Launch launch;
  launch.run = unit.make_run();
  launch.id = id;
  int index = 0;
  ports.each(ports.kernel(id.unit), [&](const Port& port, int i) {
    if (port.kind != PortKind::kScalar) {
      launch.run->set(index, graph.buffer(ports.array(id, port, i), parity));
    } else if (port.each != Each::kArgWord) {  // another in every super-step
      launch.run->set(index, ports.scalar(id, port, i, nullptr));
    }
    ++index;
  });
  return launch;
}

void make_launches(const LoadedCard::Parts& parts, const DeviceEdges& edges, const KernelPorts& ports,
                   CardGraph& graph) {
  const abi::Partitioning& partitioning = edges.partitioning().table();
  const std::uint64_t n = edges.partitioning().csr().num_columns;
  for (std::size_t parity = 0; parity < 2; ++parity) {
    for (std::uint32_t p = 0; p < partitioning.num_partitions; ++p) {
      const std::uint64_t width = partitioning.partitions[p].last - partitioning.partitions[p].first;
      for (std::size_t unit = 0; unit < graph.num_units; ++unit) {
        Launch launch = make_launch(*parts.units[unit], graph, ports, {p, static_cast<std::int32_t>(unit)}, parity);
        launch.cycles = 2 * std::uint64_t(ports.sub_partition(p, unit).num_words) + n / 8 + width;
        graph.gathers[parity].push_back(std::move(launch));
      }
      Launch launch = make_launch(*parts.apply, graph, ports, {p, kApplyUnit}, parity);
      launch.cycles = width;
      graph.applies[parity].push_back(std::move(launch));
    }
  }
}

}  // namespace

CardBuffer& CardGraph::buffer(const ArrayId& array, std::size_t parity) {
  switch (array.kind) {
    case ArrayKind::kEdges:
      for (auto& [name, buffer] : sub_partitions[array.number].edges) {
        if (std::string(name) == array.name) return *buffer;
      }
      throw Error(message("a graph on a card has no array ", array.name));
    case ArrayKind::kGathered:
      return *sub_partitions[array.number].gathered;
    case ArrayKind::kProperties:
      return *properties[parity][array.number];
    case ArrayKind::kUpdated:
      return *properties[1 - parity][array.number];
    case ArrayKind::kAux:
      return *aux[array.number];
    default:
      return *sums[array.number];
  }
}

std::unique_ptr<CardGraph> place_graph(LoadedCard::Parts& parts, const abi::Instance& instance,
                                       const std::shared_ptr<const DeviceEdges>& edges, const Schedule& schedule,
                                       const KernelPorts& ports) {
  auto graph = std::make_unique<CardGraph>();
  const std::size_t num_partitions = edges->partitioning().size();
  graph->key = edges;
  graph->units = schedule.units;
  graph->num_units = parts.units.size();
  graph->sub_partitions.resize(num_partitions * graph->num_units);
  ports.each(ports.kernel(0), [&](const Port& port, int i) {
    if (port.kind == PortKind::kScalar || ports.array({0, 0}, port, i).kind != ArrayKind::kEdges) return;
    for (CardGraph::SubPartition& sub_partition : graph->sub_partitions)
      sub_partition.edges.emplace_back(port.name, nullptr);
  });
  for (auto& properties : graph->properties) properties.resize(graph->num_units);
  graph->aux.resize(static_cast<std::size_t>(instance.num_aux));
  graph->sums.resize(num_partitions);
  const ArrayBanks banks(parts, ports);
  parts.allocate(requests_of(*graph, banks), *graph, edges->partitioning().csr().num_edges());
  try {
    make_launches(parts, *edges, ports, *graph);
  } catch (...) {
    for (const auto& [bank, num_bytes] : graph->taken) parts.taken[bank] -= num_bytes;
    throw;
  }
  return graph;
}

}  // namespace gaspipe
