// SPDX-License-Identifier: Apache-2.0
// A round of shortest paths, of GraphOps' blocks: as a level of a search (graphops_bfs.h), with the weights of the
// edges and the owner's distance, which is read once for a set. What is read are distances before this round; what is
// written is another array, so that a round does not depend on the order of its updates.
//
//   set_reader --> vertex_reader --> nbr_set_reader --> owner_req --> set_req --> set_req --> nbr_prop_filter --> ...
//     | set          | rows            | neighbors        | owners      | replicas   | weights    | lines of all
//   ... --> elem_update --> set_writer
//             | distances     | next set
//
// Chain: after GraphOps' list of blocks for SSSP; T. Oguntebi, K. Olukotun, FPGA 2016.
#pragma once

#include "hls/kernel/graphops.h"

namespace gaspipe {

// Vertices of `num_groups` groups, or `root` (else kNoVertex).
template <class Hooks>
void graphops_sssp(const Word<std::uint64_t>* set, const Word<std::uint64_t>* offsets, const Word<VertexId>* targets,
                   const Word<typename Hooks::Property>* replicas,
                   const Word<typename Traits<Hooks>::EdgeProperty>* weights,
                   const Word<typename Hooks::Property>* owners, const Word<typename Hooks::Property>* properties,
                   Word<typename Hooks::Property>* updated, Word<std::uint64_t>* next_set, Word<std::uint64_t>* ends,
                   std::uint32_t num_groups, VertexId root) {
  constexpr int kEnds = 11;
  using Property = typename Hooks::Property;
  using Filter = graphops::ImproveNeighbors<Hooks>;
  using Policy = graphops::GatherUpdates<Hooks>;
  using Lines = block::BestEffortCoalescer<Property, Policy>;
  using MemReq = block::MemReq;
  using SetMeta = block::SetMeta;
  using FinalWord = block::FinalWord;
  using VertexToken = block::VertexToken;
  using GroupMask = block::GroupMask;
  using GroupLine = Word<std::uint64_t>;
  using RowLine = Word<std::uint64_t>;
  using TargetLine = Word<VertexId>;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  using WeightLine = Word<Weight>;
  using PropertyLine = Word<Property>;
  using Found = block::Hit<Property>;
  using NewValue = block::VertexProperty<Property>;
  using Entry = block::LineUpdate<Property>;
  using Ack = std::uint32_t;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(MemReq, set_requests, kHopDepth);
  GASPIPE_STREAM(GroupLine, set_lines, kAheadDepth);
  GASPIPE_STREAM(VertexToken, active, kHopDepth);
  GASPIPE_STREAM(MemReq, row_requests, kHopDepth);
  GASPIPE_STREAM(VertexToken, asked, kAheadDepth);
  GASPIPE_STREAM(RowLine, row_lines, kAheadDepth);
  GASPIPE_STREAM(MemReq, target_requests, kHopDepth);
  GASPIPE_STREAM(SetMeta, all_sets, kHopDepth);
  GASPIPE_STREAM(TargetLine, target_lines, kAheadDepth);
  GASPIPE_STREAM(MemReq, owner_requests, kHopDepth);
  GASPIPE_STREAM(SetMeta, owned_sets, kHopDepth);
  GASPIPE_STREAM(PropertyLine, owner_lines, kAheadDepth);
  GASPIPE_STREAM(MemReq, replica_requests, kHopDepth);
  GASPIPE_STREAM(SetMeta, replica_sets, kHopDepth);
  GASPIPE_STREAM(MemReq, weight_requests, kHopDepth);
  GASPIPE_STREAM(WeightLine, weight_lines, kAheadDepth);
  GASPIPE_STREAM(SetMeta, sets, kAheadDepth);
  GASPIPE_STREAM(PropertyLine, replica_lines, kAheadDepth);
  GASPIPE_STREAM(Found, hits, kHopDepth);
  GASPIPE_STREAM(NewValue, updates, kHopDepth);
  GASPIPE_STREAM(Entry, entries, kHopDepth);
  GASPIPE_STREAM(Entry, sent, kAckDepth);
  GASPIPE_STREAM(MemReq, reads, kHopDepth);
  GASPIPE_STREAM(PropertyLine, old_lines, kAckDepth);
  GASPIPE_STREAM(MemReq, writes, kHopDepth);
  GASPIPE_STREAM(PropertyLine, new_lines, kHopDepth);
  GASPIPE_STREAM(GroupMask, changed, kHopDepth);
  GASPIPE_STREAM(MemReq, next_requests, kHopDepth);
  GASPIPE_STREAM(GroupLine, next_lines, kHopDepth);
  GASPIPE_STREAM(Ack, acks, kAckDepth, kAckDepth);
  GASPIPE_STREAMS(FinalWord, last_words, kEnds, 2);

  GASPIPE_TASK(block::set_reader_req(num_groups, set_requests));
  GASPIPE_TASK(block::mem_rd_unit<std::uint64_t>(set, 1, set_requests, set_lines, last_words[2]));
  GASPIPE_TASK(block::set_reader<Property>(num_groups, set_lines, active));
  GASPIPE_TASK(block::vertex_reader(root, active, row_requests, asked));
  GASPIPE_TASK(block::mem_rd_unit<std::uint64_t>(offsets, 1, row_requests, row_lines, last_words[3]));
  GASPIPE_TASK(block::nbr_set_reader<VertexId>(asked, row_lines, target_requests, all_sets));
  GASPIPE_TASK(block::mem_rd_unit<VertexId>(targets, 1, target_requests, target_lines, last_words[4]));
  GASPIPE_TASK(block::owner_req<Property>(all_sets, owner_requests, owned_sets));
  GASPIPE_TASK(block::mem_rd_unit<Property>(owners, 1, owner_requests, owner_lines, last_words[9]));
  GASPIPE_TASK(block::set_req<Property>(owned_sets, replica_requests, replica_sets));
  GASPIPE_TASK(block::mem_rd_unit<Property>(replicas, 1, replica_requests, replica_lines, last_words[5]));
  GASPIPE_TASK(block::set_req<Weight>(replica_sets, weight_requests, sets));
  GASPIPE_TASK(block::mem_rd_unit<Weight>(weights, 1, weight_requests, weight_lines, last_words[10]));
  GASPIPE_TASK(block::nbr_prop_filter<Property, Weight, Filter>(0, 0, sets, owner_lines, target_lines, replica_lines,
                                                                weight_lines, hits));
  GASPIPE_TASK(block::to_updates<Property>(hits, updates));
  GASPIPE_TASK(block::elem_update_coalesce<Property, Lines>(updates, entries));
  GASPIPE_TASK(block::elem_update_req<Property, Policy, kAckDepth>(entries, acks, reads, sent));
  GASPIPE_TASK(block::mem_rd_unit<Property>(properties, 1, reads, old_lines, last_words[6]));
  GASPIPE_TASK(block::elem_update<Property, Policy>(sent, old_lines, writes, new_lines, changed));
  GASPIPE_TASK(block::mem_wr_unit<Property>(updated, 1, writes, new_lines, acks, last_words[7]));
  GASPIPE_TASK(block::set_writer(changed, next_requests, next_lines, last_words[0], last_words[1]));
  GASPIPE_TASK(block::mem_wr_unit<std::uint64_t>(next_set, 1, next_requests, next_lines, last_words[8]));
  GASPIPE_TASK(block::end_collect<kEnds>(0, last_words, ends));
  GASPIPE_RUN;
}

}  // namespace gaspipe
