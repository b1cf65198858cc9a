// SPDX-License-Identifier: Apache-2.0
// Sub-partitions with about equally many edges of every part of the sources: a partition's edges are dealt to the
// compute units in pieces of at most kSourcesTogether neighboring sources, each to the unit that has the fewest edges
// yet. Where a super-step streams the edges of some sources only, because the others do not send, all units have work:
// cut into one range of sources each, the unit whose range that is would take all of it.
//
// A piece is long enough that what its ends cost, a line of properties that two units read, does not count.
#include <algorithm>
#include <utility>

#include "gaspipe/partition.h"

namespace gaspipe {
namespace partitioner {

std::vector<PartitionPiece> interleaved(const abi::Partition& partition, std::uint32_t num_units) {
  constexpr VertexId kSourcesTogether = 1024;  // their properties are a burst
  constexpr EdgeCount kPiecesPerUnit = 64, kEdgesTogether = 1024;
  const EdgeCount share = (partition.num_edges + num_units - 1) / num_units;
  const EdgeCount most = std::max(share / kPiecesPerUnit, std::min(share, kEdgesTogether));
  std::vector<PartitionPiece> pieces;
  std::vector<EdgeCount> taken(num_units);
  const auto deal = [&](EdgeCount num_edges) {
    const auto unit = std::min_element(taken.begin(), taken.end()) - taken.begin();
    taken[static_cast<std::size_t>(unit)] += num_edges;
    pieces.push_back({num_edges, static_cast<std::uint32_t>(unit)});
  };
  EdgeCount open = 0;  // edges of the piece that is not dealt yet
  for (std::uint64_t run = 0; run < partition.num_runs; ++run) {
    const bool is_near =
        run == 0 || partition.run_sources[run] / kSourcesTogether == partition.run_sources[run - 1] / kSourcesTogether;
    if (!is_near && open > 0) deal(std::exchange(open, 0));
    open += partition.run_lengths[run];
    for (; open >= most; open -= most) deal(most);
  }
  if (open > 0) deal(open);
  return pieces;
}

}  // namespace partitioner
}  // namespace gaspipe
