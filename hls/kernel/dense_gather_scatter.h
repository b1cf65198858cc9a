// SPDX-License-Identifier: Apache-2.0
// A pipeline for HBM that takes dense partitions, to which nearly every vertex sends: 16 edges a cycle, and each of the
// 16 lanes has a copy of the destinations, so that updates are not shuffled and none waits for another lane's. It takes
// several sub-partitions per launch, one after the other.
//
//   edges --readEdgeList--> decodeEdges --> lineCommands --> lineFetch --lines--+
//              \                  | \-------------- places --------------> fetchSources --+
//               \                 \--------------- destinations --------------------> propProcess --> splitLanes
//                \---- near weights --> joinWeights (weighted) ------------------------/                  |
//                     lineFetch --far weights--^                                                         v
//   gathered <--writeWords <-- mergeCopies <--[lane]-- gatherCopy <--------------------------------- rawSolver [lane]
//
// With weights, groupCommands is in lineCommands' place. What is gathered reaches apply by exchange_parts.h, in a
// launch of its own. The sparse kind is sparse_gather_scatter.h. Two kinds of pipelines: X. Chen et al., "ReGraph",
// MICRO 2022.
#pragma once

#include "hls/kernel/packed_gather_scatter.h"
#include "hls/kernel/pipelines.h"
#include "hls/module/edge_list.h"
#include "hls/module/line_fetch.h"
#include "hls/module/one_bank.h"

namespace gaspipe {

// `edges`: descriptors, edges and near weights; `memory`: properties and far weights (edge_list.h). Words of `gathered`
// are counted from its start. A sub-partition has at most Width::kMaxCapacity / kDensePerSparse vertices. `num_cleared`
// rows of every block are cleared before: all, rows_per_pe<Update, kCopyBlocks>(0, that many), in the first launch on a
// configured card, 0 after that and in the emulator.
template <class Hooks, class Width, bool weighted>
void dense_gather_scatter(const Word<std::uint32_t>* edges, const Word<std::uint32_t>* memory,
                          Word<typename Traits<Hooks>::Update>* gathered, std::uint32_t num_sub_partitions,
                          std::uint32_t num_cleared) {
  constexpr int kLanes = Width::kLanes;
  constexpr VertexId kCapacity = Width::kMaxCapacity / kDensePerSparse;
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  using Ids = WordToken<VertexId>;
  using Line = Word<Property>;
  using Sources = SourceToken<Property, kLanes>;
  using EdgeWeights = WordToken<Weight>;
  using Updates = UpdateSet<Value, kLanes>;
  using Single = MarkedUpdate<Value>;
  using Solved = MarkedRow<Value>;
  using Group = RowGroup<Value>;
  using Words = Word<Value>;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(SubPartitionToken, weight_sub_partitions, kSubPartitionDepth);
  GASPIPE_STREAM(SubPartitionToken, source_sub_partitions, kSubPartitionDepth);
  GASPIPE_STREAM(SubPartitionToken, row_sub_partitions, kSubPartitionDepth);
  GASPIPE_STREAM(SubPartitionToken, merge_sub_partitions, kSubPartitionDepth);
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
  GASPIPE_STREAMS(Single, of_lane, kLanes, kLinkDepth);
  GASPIPE_STREAMS(Solved, solved, kLanes, kLinkDepth);
  GASPIPE_STREAMS(Group, groups, kLanes, kLinkDepth);
  GASPIPE_STREAM(Words, words, kMemoryDepth);

  if (weighted) {
    GASPIPE_TASK(readEdgeList(edges, num_sub_partitions, weight_sub_partitions, source_sub_partitions,
                              row_sub_partitions, merge_sub_partitions, packed_edges, near_weights));
  } else {
    GASPIPE_TASK(readEdgeList(edges, num_sub_partitions, source_sub_partitions, row_sub_partitions,
                              merge_sub_partitions, packed_edges));
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
  GASPIPE_TASK(splitLanes(num_sub_partitions, row_sub_partitions, updates, of_lane));
  for (int lane = 0; lane < kLanes; ++lane) {
    GASPIPE_TASK_I(lane, rawSolver<Hooks, 1>(num_sub_partitions, of_lane[lane], solved[lane]));
    GASPIPE_TASK_I(lane,
                   gatherCopy<Hooks, kCapacity, kCopy>(num_sub_partitions, num_cleared, solved[lane], groups[lane]));
  }
  GASPIPE_TASK(mergeCopies<Hooks>(num_sub_partitions, merge_sub_partitions, groups, write_sub_partitions, words));
  GASPIPE_TASK(writeWords(num_sub_partitions, write_sub_partitions, words, gathered));
  GASPIPE_RUN;
}

}  // namespace gaspipe
