// SPDX-License-Identifier: Apache-2.0
// Sub-partitions of equal estimated cost. Besides its edges a compute unit streams the properties of all vertices from
// its first source to its last, so a sub-partition of few edges over many sources costs more than its edges tell:
//
//   cost = edges + kCostPerSource * (sources spanned)
//
// The ratio is that of the two coefficients measured for the published pipeline on VCU1525, 0.2648 ns per spanned
// source to 0.6971 ns per edge (ThunderGP's second-order scheduler, FPGA 2021).
#include <algorithm>
#include <utility>

#include "gaspipe/partition.h"

namespace gaspipe {
namespace partitioner {

std::vector<PartitionPiece> balanced(const abi::Partition& partition, std::uint32_t num_units) {
  constexpr double kCostPerSource = 0.2648 / 0.6971;
  std::vector<PartitionPiece> pieces;
  if (partition.num_runs == 0) return pieces;
  const double first = partition.run_sources[0];
  const double span = partition.run_sources[partition.num_runs - 1] - first;
  const double total = static_cast<double>(partition.num_edges) + kCostPerSource * span;
  // One walk over the runs: the cost up to a run's first edge only grows, and inside a run by 1 an edge.
  std::uint64_t run = 0;
  EdgeCount run_first = 0, first_edge = 0;  // of the run, and of the unit before
  for (std::uint32_t unit = 1; unit < num_units; ++unit) {
    const double goal = total * unit / num_units;
    const auto cost = [&](std::uint64_t r, EdgeCount edge) {
      return static_cast<double>(edge) + kCostPerSource * (partition.run_sources[r] - first);
    };
    while (run < partition.num_runs && cost(run, run_first + partition.run_lengths[run]) < goal) {
      run_first += partition.run_lengths[run++];
    }
    EdgeCount inside = 0;
    if (run < partition.num_runs) {
      const double missing = goal - cost(run, run_first);
      inside = missing > 0 ? static_cast<EdgeCount>(missing) : 0;
    }
    const EdgeCount end = std::min(run_first + inside, partition.num_edges);
    pieces.push_back({end - std::exchange(first_edge, end), unit - 1});
  }
  pieces.push_back({partition.num_edges - first_edge, num_units - 1});
  return pieces;
}

}  // namespace partitioner
}  // namespace gaspipe
