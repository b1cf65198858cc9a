// SPDX-License-Identifier: Apache-2.0
// A step of a vertex cover, of GraphOps' blocks: the edge that is not covered and whose ends have the largest degrees
// together, the first of them along the edges. The host adds both ends, marks them along the edges, and repeats until
// no edge is found: the edges found share no end, so the cover is at most twice as large as a least one.
//
//   for_all_prop_rdr --sets--> glob_nbr_red (the largest sum of degrees)
//     | rows   | elements        | lines of elements
//
// An edge's element has both its ends (block::CoverElement<>). Chain: after packages of GraphOps' repository.
#pragma once

#include "hls/kernel/graphops.h"

namespace gaspipe {
namespace graphops {

struct UncoveredDegrees {
  using Element = block::CoverElement<>;
  static constexpr bool kSums = false;
  static bool keep(std::uint64_t edge, const Args&) {
    return Element::OwnerCover::get(edge) == 0 && Element::Cover::get(edge) == 0;
  }
  static std::uint64_t value(std::uint64_t edge, const Args&) {
    return Element::OwnerDegree::get(edge) + Element::Degree::get(edge);
  }
};

}  // namespace graphops

// The last words: the largest sum, how many edges are uncovered, which one is the first of that sum, its owner, beats.
template <class Element = std::uint64_t>
void graphops_vertex_cover(const Word<std::uint64_t>* offsets, const Word<Element>* elements, Word<std::uint64_t>* ends,
                           VertexId num_vertices) {
  constexpr int kEnds = 6;
  using MemReq = block::MemReq;
  using SetMeta = block::SetMeta;
  using FinalWord = block::FinalWord;
  using ElementLine = Word<Element>;
  using RowLine = Word<std::uint64_t>;
  using Op = graphops::UncoveredDegrees;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(MemReq, row_requests, kHopDepth);
  GASPIPE_STREAM(RowLine, row_lines, kAheadDepth);
  GASPIPE_STREAM(MemReq, element_requests, kHopDepth);
  GASPIPE_STREAM(SetMeta, sets, kAheadDepth);
  GASPIPE_STREAM(ElementLine, element_lines, kAheadDepth);
  GASPIPE_STREAMS(FinalWord, last_words, kEnds, 2);

  GASPIPE_TASK(block::for_all_prop_rdr_req(num_vertices, row_requests));
  GASPIPE_TASK(block::mem_rd_unit<std::uint64_t>(offsets, 1, row_requests, row_lines, last_words[4]));
  GASPIPE_TASK(block::for_all_prop_rdr<Element>(num_vertices, row_lines, element_requests, sets));
  GASPIPE_TASK(block::mem_rd_unit<Element>(elements, 1, element_requests, element_lines, last_words[5]));
  GASPIPE_TASK(block::glob_nbr_red<Element, Op>(0, 0, sets, element_lines, last_words[0], last_words[1], last_words[2],
                                                last_words[3]));
  GASPIPE_TASK(block::end_collect<kEnds>(0, last_words, ends));
  GASPIPE_RUN;
}

}  // namespace gaspipe
