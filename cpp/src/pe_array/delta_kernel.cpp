// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cpp/src/pe_array/kernel.h"
#include "hls/kernel/delta_stepping.h"

namespace gaspipe {
namespace pe_array {
namespace {

template <class Number, int num_pes>
void relax_on(const std::vector<DistancePorts>& ports, std::uint32_t num_words, std::uint32_t limit) {
  const Line *distances[num_pes], *heads[num_pes], *edges[num_pes];
  Line* next_distances[num_pes];
  for (int pe = 0; pe < num_pes; ++pe) {
    heads[pe] = ports[pe].heads;
    edges[pe] = ports[pe].edges;
    distances[pe] = next_distances[pe] = ports[pe].distances;
  }
  delta_stepping<Config<8, 8, kMostSettled>, num_pes, Number>(distances, heads, edges, next_distances, num_words,
                                                              limit);
}

struct Sent {
  std::uint32_t distance;
  std::uint64_t head;
};

}  // namespace

template <class Number>
void run_phase(const std::vector<DistancePorts>& ports, std::uint32_t num_words, std::uint32_t limit) {
  if (ports.size() == 2) return relax_on<Number, 2>(ports, num_words, limit);
  if (ports.size() == 4) return relax_on<Number, 4>(ports, num_words, limit);
  relax_on<Number, 8>(ports, num_words, limit);
}

template <class Number>
void run_phase_fast(const std::vector<DistancePorts>& ports, std::uint32_t num_words, std::uint32_t limit) {
  const auto num_pes = static_cast<VertexId>(ports.size());
  std::vector<std::vector<Sent>> sent(ports.size());
  for (std::size_t pe = 0; pe < ports.size(); ++pe) {
    for (std::uint32_t index = 0; index < num_words * kCellsPerWord; ++index) {
      const std::uint32_t cell = ports[pe].cell(index);
      if (!is_near(cell, limit)) continue;
      ports[pe].set_cell(index, distance_of(cell));
      sent[pe].push_back({distance_of(cell), ports[pe].head(index)});
    }
  }
  for (std::size_t pe = 0; pe < ports.size(); ++pe) {
    for (const Sent& one : sent[pe]) {
      const Line* const row = ports[pe].edges + (one.head >> 32);
      const auto num_edges = static_cast<std::uint32_t>(one.head);
      for (std::uint32_t e = 0; e < num_edges; ++e) {
        const std::uint64_t edge = row[e / kEdgesPerWord].lane[e % kEdgesPerWord];
        const auto target = static_cast<VertexId>(edge);
        const DistancePorts& owner = ports[target % num_pes];
        const std::uint32_t index = target / num_pes;
        const std::uint32_t distance = Length<Number>::sum(one.distance, static_cast<std::uint32_t>(edge >> 32));
        if (distance < distance_of(owner.cell(index))) owner.set_cell(index, kWaits | distance);
      }
    }
  }
  for (const DistancePorts& one : ports) {
    std::uint32_t num_near = 0, nearest = kNoDistance;
    for (std::uint32_t index = 0; index < num_words * kCellsPerWord; ++index) {
      const std::uint32_t cell = one.cell(index);
      if (is_near(cell, limit)) {
        ++num_near;
      } else if (cell >= kWaits) {
        nearest = std::min(nearest, distance_of(cell));
      }
    }
    Line& control = one.distances[0];
    control = {};
    control.lane[DistanceLane::kNumNear] = num_near;
    control.lane[DistanceLane::kNearest] = nearest;
  }
}

template void run_phase<std::uint32_t>(const std::vector<DistancePorts>&, std::uint32_t, std::uint32_t);
template void run_phase<float>(const std::vector<DistancePorts>&, std::uint32_t, std::uint32_t);
template void run_phase_fast<std::uint32_t>(const std::vector<DistancePorts>&, std::uint32_t, std::uint32_t);
template void run_phase_fast<float>(const std::vector<DistancePorts>&, std::uint32_t, std::uint32_t);

}  // namespace pe_array
}  // namespace gaspipe
