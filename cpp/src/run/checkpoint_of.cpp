// SPDX-License-Identifier: Apache-2.0
// What a run must have in common with another for its checkpoint: the program, its arguments and the graph.
#include <algorithm>
#include <atomic>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "cpp/src/graph/weights.h"
#include "cpp/src/run/checkpoint.h"
#include "cpp/src/run/number_formats.h"
#include "gaspipe/crc32.h"
#include "gaspipe/fingerprint.h"

namespace gaspipe {
namespace {

bool reads_weights(const abi::Program& program) {
  return std::any_of(program.instances, program.instances + program.num_instances,
                     [](const abi::Instance& instance) { return instance.edge_type != abi::kNone; });
}

// The sum of a number for each edge.
std::uint64_t checksum_of_edges(const Csr& rows, bool with_weights, Workers& workers) {
  constexpr std::uint64_t kGrain = 1 << 12;
  std::atomic<std::uint64_t> sum{0};
  const auto add = [&](const auto& factor_of_weight) {
    workers.each(rows.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      std::uint64_t own = 0;
      for (std::uint64_t v = first; v < last; ++v) {
        const std::uint64_t key = Fingerprint::factor_of(v, 1);
        for (EdgeCount e = rows.offsets[v]; e < rows.offsets[v + 1]; ++e) {
          own += Fingerprint::factor_of(std::uint64_t(rows.targets[e]), key) * factor_of_weight(e);
        }
      }
      sum += own;
    });
  };
  std::visit(
      [&](const auto& weights) {
        if constexpr (detail::is_weighted_v<std::decay_t<decltype(weights)>>) {
          if (with_weights) return add([&](EdgeCount e) { return Fingerprint::factor_of(weights[e], 2); });
        }
        add([](EdgeCount) { return std::uint64_t(1); });
      },
      rows.weights);
  return sum;
}

}  // namespace

std::uint32_t checksum_of_arguments(const abi::Program& program, const std::vector<abi::Argument>& checked,
                                    abi::Scalar number_type) {
  std::uint32_t checksum = 0;
  for (std::size_t i = 0; i < checked.size(); ++i) {
    const abi::Parameter& parameter = program.parameters[i];
    const std::string name = parameter.name;
    if (name == "max_iter" || name == "tol") continue;  // a run may go on with others
    const abi::Argument& value = checked[i];
    checksum = crc32(name.data(), name.size(), checksum);
    const bool is_real = parameter.kind == abi::kReal;
    if (parameter.kind < abi::kArray) {
      checksum = is_real ? crc32(&value.real, sizeof value.real, checksum)
                         : crc32(&value.integer, sizeof value.integer, checksum);
      continue;
    }
    const std::uint64_t bytes = parameter.kind == abi::kArray    ? 8
                                : parameter.kind == abi::kVector ? static_cast<std::uint64_t>(bytes_of(number_type))
                                : parameter.kind == abi::kPairs  ? 8
                                                                 : 4;
    checksum = crc32(&value.size, sizeof value.size, checksum);
    if (value.data != nullptr) checksum = crc32(value.data, value.size * bytes, checksum);
  }
  return checksum;
}

CheckpointOf checkpoint_of(const abi::Program& program, const Graph& graph, Workers& workers) {
  const Csr& rows = graph.skeleton();
  CheckpointOf of{program.name, graph.num_vertices(), rows.num_edges(), 0, 0};
  if (rows.targets.data() != nullptr) of.edges = checksum_of_edges(rows, reads_weights(program), workers);
  std::vector<std::uint64_t> block;
  constexpr std::uint64_t kBlock = 1 << 12;
  for (std::uint64_t first = 0; first <= rows.num_rows; first += kBlock) {  // the same for offsets of 4 and 8 bytes
    block.clear();
    for (std::uint64_t i = first; i < std::min<std::uint64_t>(first + kBlock, std::uint64_t(rows.num_rows) + 1); ++i) {
      block.push_back(rows.offsets[i]);
    }
    of.offsets = crc32(block.data(), block.size() * 8, of.offsets);
  }
  return of;
}

}  // namespace gaspipe
