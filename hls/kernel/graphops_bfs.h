// SPDX-License-Identifier: Apache-2.0
// A level of a breadth-first search, of GraphOps' blocks. The levels along the edges are those before this level; the
// host copies new ones there, and tells where the set of the vertices found lies that the next level starts from.
//
//   set_reader --> vertex_reader --> nbr_set_reader --> set_req --> nbr_prop_filter_lines -+
//     | set          | rows            | neighbors        | replicas   | lines of both       |
//                                                                                           v
//                                     set_writer <-- elem_update <-- found_lines <-- mark_hits
//                                       | next set     | levels                        | bitmap on the chip
//
// A line of levels is updated once a level (mark_hits.h), and not for every hit: on a graph of soc-Pokec's size and
// degrees 0.6 bytes an edge are read of levels, where each hit that the coalescer did not merge read a line, 16 bytes.
// Chain: packages of GraphOps' repository (bfs_rep_u); T. Oguntebi, K. Olukotun, FPGA 2016.
#pragma once

#include "hls/kernel/graphops.h"

namespace gaspipe {

// Vertices of `num_groups` groups, or `root` (else kNoVertex), all with property `level`, in a graph of `num_vertices`.
template <class Hooks>
void graphops_bfs(const Word<std::uint64_t>* set, const Word<std::uint64_t>* offsets, const Word<VertexId>* targets,
                  const Word<typename Hooks::Property>* replicas, const Word<typename Hooks::Property>* properties,
                  Word<typename Hooks::Property>* updated, Word<std::uint64_t>* next_set, Word<std::uint64_t>* ends,
                  std::uint32_t num_groups, VertexId root, std::uint32_t level, VertexId num_vertices) {
  constexpr int kEnds = 9;
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
  using PropertyLine = Word<Property>;
  using FoundLine = block::HitLine<Property, PropertyLine::kSize>;
  using Found = block::HitGroup<Property>;
  using Rows = block::FoundRow<Property>;
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
  GASPIPE_STREAM(MemReq, replica_requests, kHopDepth);
  GASPIPE_STREAM(SetMeta, sets, kAheadDepth);
  GASPIPE_STREAM(PropertyLine, replica_lines, kAheadDepth);
  GASPIPE_STREAM(FoundLine, hit_lines, kHopDepth);
  GASPIPE_STREAM(Found, hits, kHopDepth);
  GASPIPE_STREAM(Found, watched, kHopDepth);
  GASPIPE_STREAM(Found, others, kHopDepth);
  GASPIPE_STREAM(Rows, found, kHopDepth);
  GASPIPE_STREAM(NewValue, updates, kHopDepth);
  GASPIPE_STREAM(Entry, other_entries, kHopDepth);
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
  GASPIPE_TASK(block::set_req<Property>(all_sets, replica_requests, sets));
  GASPIPE_TASK(block::mem_rd_unit<Property>(replicas, 1, replica_requests, replica_lines, last_words[5]));
  GASPIPE_TASK(block::nbr_prop_filter_lines<Property, Filter>(level, 0, sets, target_lines, replica_lines, hit_lines));
  GASPIPE_TASK(block::spread_hits<Property, PropertyLine::kSize>(hit_lines, hits));
  GASPIPE_TASK(block::watch_hits<Property>(hits, watched));
  GASPIPE_TASK(block::mark_hits<Property, block::kFoundCapacity>(num_vertices, watched, others, found));
  GASPIPE_TASK(block::hit_updates<Property>(others, updates));
  GASPIPE_TASK(block::elem_update_coalesce<Property, Lines>(updates, other_entries));
  GASPIPE_TASK(block::found_lines<Property>(other_entries, found, entries));
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
