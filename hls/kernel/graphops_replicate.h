// SPDX-License-Identifier: Apache-2.0
// Properties along the edges, of GraphOps' blocks, in place of the host: rep[e] = preprocessProperty(prop[target of e])
// of a program (hls/block/replicate.h).
#pragma once

#include "hls/block/replicate.h"
#include "hls/kernel/graphops.h"

namespace gaspipe {
namespace graphops {

template <class Hooks>
struct Preprocess {
  using Property = typename Hooks::Property;
  static Property apply(Property property) { return Hooks::preprocessProperty(property); }
};

}  // namespace graphops

// `num_lines` lines of targets; in the last one kNoVertex is no edge's, and its replicas are 0.
template <class Hooks>
void graphops_replicate(const Word<VertexId>* targets, const Word<typename Hooks::Property>* properties,
                        Word<typename Hooks::Property>* replicas, Word<std::uint64_t>* ends, std::uint32_t num_lines) {
  constexpr int kEnds = 3;
  using Property = typename Hooks::Property;
  using F = graphops::Preprocess<Hooks>;
  using MemReq = block::MemReq;
  using FinalWord = block::FinalWord;
  using TargetToken = block::TargetToken;
  using TargetLine = Word<VertexId>;
  using PropertyLine = Word<Property>;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(MemReq, target_requests, kHopDepth);
  GASPIPE_STREAM(TargetLine, target_lines, kHopDepth);
  GASPIPE_STREAM(MemReq, property_requests, kHopDepth);
  GASPIPE_STREAM(TargetToken, edges, kAheadDepth);
  GASPIPE_STREAM(PropertyLine, property_lines, kAheadDepth);
  GASPIPE_STREAM(MemReq, writes, kHopDepth);
  GASPIPE_STREAM(PropertyLine, replica_lines, kHopDepth);
  GASPIPE_STREAMS(FinalWord, last_words, kEnds, 2);

  GASPIPE_TASK(block::array_req(num_lines, target_requests));
  GASPIPE_TASK(block::mem_rd_unit<VertexId>(targets, 1, target_requests, target_lines, last_words[0]));
  GASPIPE_TASK(block::replicate_req<Property>(num_lines, target_lines, property_requests, edges));
  GASPIPE_TASK(block::mem_rd_unit<Property>(properties, 1, property_requests, property_lines, last_words[1]));
  GASPIPE_TASK(block::replicate<Property, F>(edges, property_lines, writes, replica_lines));
  GASPIPE_TASK(block::mem_wr_unit<Property>(replicas, 1, writes, replica_lines, last_words[2]));
  GASPIPE_TASK(block::end_collect<kEnds>(0, last_words, ends));
  GASPIPE_RUN;
}

}  // namespace gaspipe
