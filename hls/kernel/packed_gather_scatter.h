// SPDX-License-Identifier: Apache-2.0
// The gather-scatter kernel for packed edges (PackedEdgeCodec, 4 bytes each) and several sub-partitions per launch: 16
// edges a cycle to 16 PEs, an update a cycle in each, and the rows of a sub-partition leave while the next one is
// gathered (hls/module/row_gather.h).
//
//   edges --readEdges--> decodeEdges --> lineCommands --> lineRead --lines--+
//                             | \----------- places -----------------> fetchSources --+
//                             \-------------- destinations ----------------------> propProcess --> broadcastRows
//   weights --readWeights (weighted)--------------------------------------------------/                  |
//                                                                                                        v
//   gathered <--writeRows <--[PE]-- gatherRows <-- rawSolver <-- tupleFilter <-- shuffleDecoder [PE]
//
// A row of UltraRAM is updated within update_distance() iterations, after which its next update comes at the earliest:
// three cycles read, one writes, and between them one gathers integers, or several floating-point numbers
// (hls/module/latency.h).
#pragma once

#include "hls/kernel/gather_scatter.h"
#include "hls/module/row_gather.h"
#include "hls/module/sub_partition.h"

namespace gaspipe {

constexpr int kSubPartitionDepth = 4;

// propProcess, sub-partition by sub-partition.
template <class Hooks, int lanes>
void propProcess(std::uint32_t num_sub_partitions, stream<SourceToken<typename Hooks::Property, lanes>>& properties,
                 stream<WordToken<VertexId>>& destinations,
                 stream<WordToken<typename Traits<Hooks>::EdgeProperty>>& weights,
                 stream<UpdateSet<typename Traits<Hooks>::Update, lanes>>& out) {
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    propProcess<Hooks, lanes>(properties, destinations, weights, out);
  }
}
template <class Hooks, int lanes>
void propProcess(std::uint32_t num_sub_partitions, stream<SourceToken<typename Hooks::Property, lanes>>& properties,
                 stream<WordToken<VertexId>>& destinations,
                 stream<UpdateSet<typename Traits<Hooks>::Update, lanes>>& out) {
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    propProcess<Hooks, lanes>(properties, destinations, out);
  }
}

// `sub_partitions`: a descriptor (SubPartitionLane) for each of `num_sub_partitions`, which are gathered one after the
// other. Words of edges, weights and `gathered` are counted from the start of each array; a sub-partition's words of
// `gathered` hold its vertices from its first on. It has at most Width::kMaxCapacity vertices, and those are at most
// PackedEdgeCodec::kMostVertices. `num_cleared` rows of every PE's banks are cleared before: all,
// rows_per_pe<Update, 16>(0, kMaxCapacity), in the first launch on a configured card, 0 after that and in the emulator.
template <class Hooks, class Width, bool weighted>
void packed_gather_scatter(const Word<std::uint32_t>* edges, const Word<typename Traits<Hooks>::EdgeProperty>* weights,
                           const Word<typename Hooks::Property>* properties, const Word<std::uint32_t>* sub_partitions,
                           Word<typename Traits<Hooks>::Update>* gathered, std::uint32_t num_sub_partitions,
                           std::uint32_t num_cleared) {
  constexpr int kLanes = Width::kLanes, kPes = Width::kPes;
  constexpr VertexId kCapacity = Width::kMaxCapacity;
  static_assert(kPes >= 8, "a row of the PEs is whole words");
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  using Ids = WordToken<VertexId>;
  using Line = Word<Property>;
  using Sources = SourceToken<Property, kLanes>;
  using EdgeWeights = WordToken<Weight>;
  using Updates = UpdateSet<Value, kLanes>;
  using Listed = MarkedSet<Value, kLanes>;
  using Single = MarkedUpdate<Value>;
  using Solved = MarkedRow<Value>;
  using Row = UramWord<Value>;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(SubPartitionToken, edge_sub_partitions, kSubPartitionDepth);
  GASPIPE_STREAM(SubPartitionToken, weight_sub_partitions, kSubPartitionDepth);
  GASPIPE_STREAM(SubPartitionToken, source_sub_partitions, kSubPartitionDepth);
  GASPIPE_STREAM(SubPartitionToken, row_sub_partitions, kSubPartitionDepth);
  GASPIPE_STREAM(SubPartitionToken, write_sub_partitions, kSubPartitionDepth);
  GASPIPE_STREAM(Ids, packed_edges, kMemoryDepth);
  GASPIPE_STREAM(MarkedSources, command_sources, kLinkDepth);
  GASPIPE_STREAM(SourcePlaces, edge_sources, 2 * kSourcesAhead, kSourcesAhead);
  GASPIPE_STREAM(Ids, edge_destinations, 2 * kSourcesAhead, kSourcesAhead);
  GASPIPE_STREAM(LineRun, runs, kLinkDepth);
  GASPIPE_STREAM(Line, lines, kMemoryDepth);
  GASPIPE_STREAM(Sources, source_properties, kLinkDepth);
  GASPIPE_STREAM(EdgeWeights, edge_weights, kMemoryDepth);
  GASPIPE_STREAM(Updates, updates, kLinkDepth);
  GASPIPE_STREAMS(Updates, pe_updates, kPes, kLinkDepth);
  GASPIPE_STREAMS(Listed, listed, kPes, kLinkDepth);
  GASPIPE_STREAMS(Single, filtered, kPes, kLinkDepth);
  GASPIPE_STREAMS(Solved, solved, kPes, kLinkDepth);
  GASPIPE_STREAMS(Row, rows, kPes, kLinkDepth);

  if (weighted) {
    GASPIPE_TASK(readSubPartitions(sub_partitions, num_sub_partitions, edge_sub_partitions, weight_sub_partitions,
                                   source_sub_partitions, row_sub_partitions, write_sub_partitions));
  } else {
    GASPIPE_TASK(readSubPartitions(sub_partitions, num_sub_partitions, edge_sub_partitions, source_sub_partitions,
                                   row_sub_partitions, write_sub_partitions));
  }
  GASPIPE_TASK(readEdges(edges, num_sub_partitions, edge_sub_partitions, packed_edges));
  GASPIPE_TASK(decodeEdges<Property>(num_sub_partitions, source_sub_partitions, packed_edges, command_sources,
                                     edge_sources, edge_destinations));
  GASPIPE_TASK(lineCommands<Property>(num_sub_partitions, command_sources, runs));
  GASPIPE_TASK(lineRead<Property>(properties, num_sub_partitions, runs, lines));
  GASPIPE_TASK(fetchSources<Hooks, kLanes>(num_sub_partitions, edge_sources, lines, source_properties));
  if (weighted) {
    GASPIPE_TASK(readWeights(weights, num_sub_partitions, weight_sub_partitions, edge_weights));
    GASPIPE_TASK(
        propProcess<Hooks, kLanes>(num_sub_partitions, source_properties, edge_destinations, edge_weights, updates));
  } else {
    GASPIPE_TASK(propProcess<Hooks, kLanes>(num_sub_partitions, source_properties, edge_destinations, updates));
  }
  GASPIPE_TASK(broadcastRows<kPes>(num_sub_partitions, row_sub_partitions, updates, pe_updates));
  for (int pe = 0; pe < kPes; ++pe) {
    GASPIPE_TASK_I(pe, shuffleDecoder<kLanes, kPes>(pe, num_sub_partitions, pe_updates[pe], listed[pe]));
    GASPIPE_TASK_I(pe, tupleFilter<kLanes>(num_sub_partitions, listed[pe], filtered[pe]));
    GASPIPE_TASK_I(pe, rawSolver<Hooks, kPes>(num_sub_partitions, filtered[pe], solved[pe]));
    GASPIPE_TASK_I(pe,
                   gatherRows<Hooks, kPes, kCapacity, kCopy>(num_sub_partitions, num_cleared, solved[pe], rows[pe]));
  }
  GASPIPE_TASK(writeRows(num_sub_partitions, write_sub_partitions, rows, gathered));
  GASPIPE_RUN;
}

}  // namespace gaspipe
