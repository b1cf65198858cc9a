// SPDX-License-Identifier: Apache-2.0
// Shortest paths by an array of PEs, as of local_store_bfs.h, in buckets of distance: the region is a phase
// (hls/local_store/distances.h), and the top (delta_stepping.cpp.in) runs all of them in one launch. For PE p:
//
//   distances --> readDistances --scanned--> findNear --runs--> lineFetch (heads)
//                    |                          \--groups--> spreadNear <--/
//                    |                                           \--> planEdges --runs--> lineFetch (edges)
//                  loaded                                                 \--> unpackEdges <--/
//                    |      wires[p][0 .. P-1] <-- dispatchLists <-----------/
//                    |
//                    |      wires[q][p - q] --> exchangeCodes --> watchCells --+
//                    +-----------> relaxDistances, cells in UltraRAM <---------+
//                                        \--> commitDistances --> next_distances
//
// What is sent is decided by the cells that a phase begins with, so the distances behind it, and which vertices wait,
// depend on no timing. Why the streams between PEs cannot deadlock: hls/local_store/exchange.h.
// Method: U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", Journal of Algorithms
// 49(1), 2003; the exchange is that of Scarpazza et al. (local_store_bfs.h).
#pragma once

#include "hls/kernel/local_store_bfs.h"
#include "hls/local_store/bucket.h"
#include "hls/local_store/relax.h"
#include "hls/module/line_fetch.h"

namespace gaspipe {

// `units` PEs: 2, 4 or 8; each has at most Width::kMaxCapacity vertices, in `num_words` words. Vertex v of all is
// number v / units of PE v % units. In the beginning the root waits with distance 0, all others are at kNoDistance.
// `Number`: of weights and distances, std::uint32_t or float (length.h).
template <class Width, int units, class Number, class Read, class Written>
void delta_stepping(const Read& distances, const Read& heads, const Read& edges, const Written& next_distances,
                    std::uint32_t num_words, std::uint32_t limit) {
  constexpr VertexId kCapacity = Width::kMaxCapacity;
  using Line = Word<std::uint64_t>;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAMS(Line, loaded, units, kCodeDepth);
  GASPIPE_STREAMS(Line, scanned, units, kCodeDepth);
  GASPIPE_STREAMS(LineRun, head_runs, units, kDescriptorDepth);
  GASPIPE_STREAMS(NearGroup, groups, units, 2 * kDescriptorDepth);
  GASPIPE_STREAMS(Line, head_lines, units, kListDepth);
  GASPIPE_STREAMS(NearVertex, near, units, kCodeDepth);
  GASPIPE_STREAMS(LineRun, row_runs, units, kDescriptorDepth);
  GASPIPE_STREAMS(EdgeRun, edge_runs, units, 8 * kDescriptorDepth);
  GASPIPE_STREAMS(Line, edge_words, units, kListDepth);
  GASPIPE_STREAMS(OwnedDistance, owned, units, kCodeDepth);
  GASPIPE_STREAMS(DistanceMessage, wires, units * units, kWireDepth, kPeriodTokens);
  GASPIPE_STREAMS(DistanceMessage, received, units, kCodeDepth);
  GASPIPE_STREAMS(DistanceRequest, requests, units, kCodeDepth);
  GASPIPE_STREAMS(Line, relaxed, units, kCodeDepth);

  for (int pe = 0; pe < units; ++pe) {
    GASPIPE_TASK_I(pe, readDistances(num_words, limit, distances[pe], loaded[pe], scanned[pe]));
    GASPIPE_TASK_I(pe, findNear(num_words, limit, scanned[pe], head_runs[pe], groups[pe]));
    GASPIPE_TASK_I(pe, lineFetch<ListCode>(heads[pe], 1, head_runs[pe], head_lines[pe]));
    GASPIPE_TASK_I(pe, spreadNear(groups[pe], head_lines[pe], near[pe]));
    GASPIPE_TASK_I(pe, planEdges(near[pe], row_runs[pe], edge_runs[pe]));
    GASPIPE_TASK_I(pe, lineFetch<ListCode>(edges[pe], 1, row_runs[pe], edge_words[pe]));
    GASPIPE_TASK_I(pe, unpackEdges<units, Number>(pe, edge_runs[pe], edge_words[pe], owned[pe]));
  }
  // From PE pe to itself, the next one, ...; and to pe from itself, the one before, ...
  if (units == 2) {
    for (int pe = 0; pe < units; ++pe) {
      GASPIPE_TASK_I(pe, dispatchLists(owned[pe], wires[2 * pe], wires[2 * pe + 1]));
      GASPIPE_TASK_I(pe, exchangeCodes(received[pe], wires[2 * pe], wires[2 * ((pe + 1) % 2) + 1]));
    }
  } else {
    if (units == 4) {
      for (int pe = 0; pe < units; ++pe) {
        GASPIPE_TASK_I(
            pe, dispatchLists(owned[pe], wires[4 * pe], wires[4 * pe + 1], wires[4 * pe + 2], wires[4 * pe + 3]));
        GASPIPE_TASK_I(pe, exchangeCodes(received[pe], wires[4 * pe], wires[4 * ((pe + 3) % 4) + 1],
                                         wires[4 * ((pe + 2) % 4) + 2], wires[4 * ((pe + 1) % 4) + 3]));
      }
    } else {
      for (int pe = 0; pe < units; ++pe) {
        GASPIPE_TASK_I(pe,
                       dispatchLists(owned[pe], wires[8 * pe], wires[8 * pe + 1], wires[8 * pe + 2], wires[8 * pe + 3],
                                     wires[8 * pe + 4], wires[8 * pe + 5], wires[8 * pe + 6], wires[8 * pe + 7]));
        GASPIPE_TASK_I(pe, exchangeCodes(received[pe], wires[8 * pe], wires[8 * ((pe + 7) % 8) + 1],
                                         wires[8 * ((pe + 6) % 8) + 2], wires[8 * ((pe + 5) % 8) + 3],
                                         wires[8 * ((pe + 4) % 8) + 4], wires[8 * ((pe + 3) % 8) + 5],
                                         wires[8 * ((pe + 2) % 8) + 6], wires[8 * ((pe + 1) % 8) + 7]));
      }
    }
  }
  for (int pe = 0; pe < units; ++pe) {
    GASPIPE_TASK_I(pe, watchCells(received[pe], requests[pe]));
    GASPIPE_TASK_I(pe, relaxDistances<kCapacity>(num_words, loaded[pe], requests[pe], relaxed[pe]));
    GASPIPE_TASK_I(pe, commitDistances(num_words, limit, relaxed[pe], next_distances[pe]));
  }
  GASPIPE_RUN;
}

}  // namespace gaspipe
