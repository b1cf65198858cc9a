// SPDX-License-Identifier: Apache-2.0
// A pipeline for HBM that takes sparse partitions, many destinations with few edges each: 16 edges a cycle, shuffled to
// 16 PEs that share the destinations. It takes several sub-partitions per launch, one after the other. As
// packed_gather_scatter.h, with edges and weights in one array, lines of properties requested ahead, and one bank of
// rows per PE.
//
//   edges --readEdgeList--> decodeEdges --> lineCommands --> lineFetch --lines--+
//              \                  | \-------------- places --------------> fetchSources --+
//               \                 \--------------- destinations --------------------> propProcess --> broadcastRows
//                \---- near weights --> joinWeights (weighted) ------------------------/                  |
//                     lineFetch --far weights--^                                                         v
//   gathered <--writeRows <--[PE]-- gatherBank <-- rawSolver <-- tupleFilter <-- shuffleDecoder [PE]
#pragma once

#include "hls/kernel/packed_gather_scatter.h"
#include "hls/module/edge_list.h"
#include "hls/module/line_fetch.h"
#include "hls/module/one_bank.h"

namespace gaspipe {

// As dense_gather_scatter, of at most Width::kMaxCapacity vertices. `num_cleared` rows of every PE's bank are cleared:
// rows_per_pe<Update, 16>(0, kMaxCapacity) in the first launch.
template <class Hooks, class Width, bool weighted>
void sparse_gather_scatter(const Word<std::uint32_t>* edges, const Word<std::uint32_t>* memory,
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
  GASPIPE_STREAM(SubPartitionToken, weight_sub_partitions, kSubPartitionDepth);
  GASPIPE_STREAM(SubPartitionToken, source_sub_partitions, kSubPartitionDepth);
  GASPIPE_STREAM(SubPartitionToken, row_sub_partitions, kSubPartitionDepth);
  GASPIPE_STREAM(SubPartitionToken, write_sub_partitions, kSubPartitionDepth);
  GASPIPE_STREAM(Ids, packed_edges, kMemoryDepth);
  GASPIPE_STREAM(EdgeWeights, near_weights, 2 * kWeightsAhead, kWeightsAhead);
  GASPIPE_STREAM(EdgeWeights, far_weights, kMemoryDepth);
  GASPIPE_STREAM(EdgeWeights, edge_weights, kLinkDepth);
  GASPIPE_STREAM(MarkedSources, command_sources, kLinkDepth);
  GASPIPE_STREAM(SourcePlaces, edge_sources, 2 * kSourcesAhead, kSourcesAhead);
  GASPIPE_STREAM(Ids, edge_destinations, 2 * kSourcesAhead, kSourcesAhead);
  GASPIPE_STREAM(LineRun, runs, kLinkDepth);
  GASPIPE_STREAM(GroupRun, group_runs, kLinkDepth);
  GASPIPE_STREAM(Line, lines, kMemoryDepth);
  GASPIPE_STREAM(Sources, source_properties, kLinkDepth);
  GASPIPE_STREAM(Updates, updates, kLinkDepth);
  GASPIPE_STREAMS(Updates, pe_updates, kPes, kLinkDepth);
  GASPIPE_STREAMS(Listed, listed, kPes, kLinkDepth);
  GASPIPE_STREAMS(Single, filtered, kPes, kLinkDepth);
  GASPIPE_STREAMS(Solved, solved, kPes, kLinkDepth);
  GASPIPE_STREAMS(Row, rows, kPes, kLinkDepth);

  if (weighted) {
    GASPIPE_TASK(readEdgeList(edges, num_sub_partitions, weight_sub_partitions, source_sub_partitions,
                              row_sub_partitions, write_sub_partitions, packed_edges, near_weights));
  } else {
    GASPIPE_TASK(readEdgeList(edges, num_sub_partitions, source_sub_partitions, row_sub_partitions,
                              write_sub_partitions, packed_edges));
  }
  GASPIPE_TASK(decodeEdges<Property>(num_sub_partitions, source_sub_partitions, packed_edges, command_sources,
                                     edge_sources, edge_destinations));
  if (weighted) {
    GASPIPE_TASK(groupCommands<Property>(num_sub_partitions, command_sources, group_runs));
    GASPIPE_TASK(lineFetch(memory, num_sub_partitions, weight_sub_partitions, group_runs, lines, far_weights));
  } else {
    GASPIPE_TASK(lineCommands<Property>(num_sub_partitions, command_sources, runs));
    GASPIPE_TASK(lineFetch(memory, num_sub_partitions, runs, lines));
  }
  GASPIPE_TASK(fetchSources<Hooks, kLanes>(num_sub_partitions, edge_sources, lines, source_properties));
  if (weighted) {
    GASPIPE_TASK(joinWeights(num_sub_partitions, near_weights, far_weights, edge_weights));
    GASPIPE_TASK(
        propProcess<Hooks, kLanes>(num_sub_partitions, source_properties, edge_destinations, edge_weights, updates));
  } else {
    GASPIPE_TASK(propProcess<Hooks, kLanes>(num_sub_partitions, source_properties, edge_destinations, updates));
  }
  GASPIPE_TASK(broadcastRows<kPes, false>(num_sub_partitions, row_sub_partitions, updates, pe_updates));
  for (int pe = 0; pe < kPes; ++pe) {
    GASPIPE_TASK_I(pe, shuffleDecoder<kLanes, kPes>(pe, num_sub_partitions, pe_updates[pe], listed[pe]));
    GASPIPE_TASK_I(pe, tupleFilter<kLanes>(num_sub_partitions, listed[pe], filtered[pe]));
    GASPIPE_TASK_I(pe, rawSolver<Hooks, kPes>(num_sub_partitions, filtered[pe], solved[pe]));
    GASPIPE_TASK_I(pe,
                   gatherBank<Hooks, kPes, kCapacity, kCopy>(num_sub_partitions, num_cleared, solved[pe], rows[pe]));
  }
  GASPIPE_TASK(writeRows(num_sub_partitions, write_sub_partitions, rows, gathered));
  GASPIPE_RUN;
}

}  // namespace gaspipe
