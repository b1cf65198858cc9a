// SPDX-License-Identifier: Apache-2.0
// Conductance of a set of vertices, of GraphOps' blocks: the edges that leave the members, and the degrees of members
// and of others. A vertex's property is its degree and whether it is a member (block::MemberElement<>).
//
//   all_node_prop_red --members--> nbr_prop_rdr --sets--> glob_nbr_red (how many neighbors are no members)
//     | properties                   | rows, replicas       | lines of replicas
//
// Chain: packages of GraphOps' repository; T. Oguntebi, K. Olukotun, FPGA 2016.
#pragma once

#include "hls/kernel/graphops.h"

namespace gaspipe {
namespace graphops {

struct Members {
  using Element = block::MemberElement<>;
  static bool is_member(std::uint32_t property, const Args&) { return Element::Member::get(property) != 0; }
  static std::uint64_t value(std::uint32_t property, const Args&) { return Element::Degree::get(property); }
};
struct CountOthers {
  static constexpr bool kSums = true;
  static bool keep(std::uint32_t property, const Args& args) { return !Members::is_member(property, args); }
  static std::uint64_t value(std::uint32_t, const Args&) { return 1; }
};

}  // namespace graphops

// A property is a word of 32 bits. The last words: edges that leave, how many were counted, an edge, an owner, degrees
// of members and of others, beats.
template <class Property = std::uint32_t>
void graphops_conductance(const Word<Property>* properties, const Word<std::uint64_t>* offsets,
                          const Word<Property>* replicas, Word<std::uint64_t>* ends, VertexId num_vertices) {
  constexpr int kEnds = 9;
  using MemReq = block::MemReq;
  using SetMeta = block::SetMeta;
  using FinalWord = block::FinalWord;
  using VertexToken = block::VertexToken;
  using RowLine = Word<std::uint64_t>;
  using PropertyLine = Word<Property>;
  using Members = graphops::Members;
  using CountOthers = graphops::CountOthers;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(MemReq, property_requests, kHopDepth);
  GASPIPE_STREAM(PropertyLine, property_lines, kAheadDepth);
  GASPIPE_STREAM(VertexToken, members, kHopDepth);
  GASPIPE_STREAM(MemReq, row_requests, kHopDepth);
  GASPIPE_STREAM(VertexToken, asked, kAheadDepth);
  GASPIPE_STREAM(RowLine, row_lines, kAheadDepth);
  GASPIPE_STREAM(MemReq, replica_requests, kHopDepth);
  GASPIPE_STREAM(SetMeta, sets, kAheadDepth);
  GASPIPE_STREAM(PropertyLine, replica_lines, kAheadDepth);
  GASPIPE_STREAMS(FinalWord, last_words, kEnds, 2);

  GASPIPE_TASK(block::all_node_prop_red_req<Property>(num_vertices, property_requests));
  GASPIPE_TASK(block::mem_rd_unit<Property>(properties, 1, property_requests, property_lines, last_words[6]));
  GASPIPE_TASK(block::all_node_prop_red<Property, Members>(num_vertices, 0, 0, property_lines, members, last_words[4],
                                                           last_words[5]));
  GASPIPE_TASK(block::nbr_prop_rdr_req(members, row_requests, asked));
  GASPIPE_TASK(block::mem_rd_unit<std::uint64_t>(offsets, 1, row_requests, row_lines, last_words[7]));
  GASPIPE_TASK(block::nbr_prop_rdr<Property>(asked, row_lines, replica_requests, sets));
  GASPIPE_TASK(block::mem_rd_unit<Property>(replicas, 1, replica_requests, replica_lines, last_words[8]));
  GASPIPE_TASK(block::glob_nbr_red<Property, CountOthers>(0, 0, sets, replica_lines, last_words[0], last_words[1],
                                                          last_words[2], last_words[3]));
  GASPIPE_TASK(block::end_collect<kEnds>(0, last_words, ends));
  GASPIPE_RUN;
}

}  // namespace gaspipe
