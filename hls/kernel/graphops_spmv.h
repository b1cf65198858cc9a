// SPDX-License-Identifier: Apache-2.0
// A sparse matrix times a vector, of GraphOps' blocks: as PageRank (graphops_pagerank.h), with the entries of the
// matrix beside the vector's replicas along the edges.
//
//   for_all_prop_rdr --sets--> set_req --sets--> nbr_prop_red --(row, product)--> elem_update (SeqCoalescer)
//     | rows   | replicas        | entries         | lines of both                 | gathered, read and written
//
// Chain: after GraphOps' list of blocks for SpMV; T. Oguntebi, K. Olukotun, FPGA 2016.
#pragma once

#include "hls/kernel/graphops.h"

namespace gaspipe {

// Rows are those of in-edges. Gathered values of vertices without in-edges are not touched.
template <class Hooks>
void graphops_spmv(const Word<std::uint64_t>* offsets, const Word<typename Hooks::Property>* replicas,
                   const Word<typename Traits<Hooks>::EdgeProperty>* weights,
                   const Word<typename Traits<Hooks>::Update>* gathered, Word<typename Traits<Hooks>::Update>* updated,
                   Word<std::uint64_t>* ends, VertexId num_vertices) {
  constexpr int kEnds = 5;
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Op = graphops::GatherNeighbors<Hooks>;
  using Policy = block::Overwrite<Value>;
  using Lines = block::SeqCoalescer<Value, Policy>;
  using MemReq = block::MemReq;
  using SetMeta = block::SetMeta;
  using FinalWord = block::FinalWord;
  using RowLine = Word<std::uint64_t>;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  using WeightLine = Word<Weight>;
  using ReplicaLine = Word<Property>;
  using GatheredLine = Word<Value>;
  using Sum = block::VertexProperty<Value>;
  using Entry = block::LineUpdate<Value>;
  using Ack = std::uint32_t;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(MemReq, row_requests, kHopDepth);
  GASPIPE_STREAM(RowLine, row_lines, kAheadDepth);
  GASPIPE_STREAM(MemReq, replica_requests, kHopDepth);
  GASPIPE_STREAM(SetMeta, all_sets, kHopDepth);
  GASPIPE_STREAM(MemReq, weight_requests, kHopDepth);
  GASPIPE_STREAM(SetMeta, sets, kAheadDepth);
  GASPIPE_STREAM(WeightLine, weight_lines, kAheadDepth);
  GASPIPE_STREAM(ReplicaLine, replica_lines, kAheadDepth);
  GASPIPE_STREAM(Sum, sums, kHopDepth);
  GASPIPE_STREAM(Entry, entries, kHopDepth);
  GASPIPE_STREAM(Entry, sent, kAckDepth);
  GASPIPE_STREAM(MemReq, reads, kHopDepth);
  GASPIPE_STREAM(GatheredLine, old_lines, kAckDepth);
  GASPIPE_STREAM(MemReq, writes, kHopDepth);
  GASPIPE_STREAM(GatheredLine, new_lines, kHopDepth);
  GASPIPE_STREAM(Ack, acks, kAckDepth, kAckDepth);
  GASPIPE_STREAMS(FinalWord, last_words, kEnds, 2);

  GASPIPE_TASK(block::for_all_prop_rdr_req(num_vertices, row_requests));
  GASPIPE_TASK(block::mem_rd_unit<std::uint64_t>(offsets, 1, row_requests, row_lines, last_words[0]));
  GASPIPE_TASK(block::for_all_prop_rdr<Property>(num_vertices, row_lines, replica_requests, all_sets));
  GASPIPE_TASK(block::set_req<Weight>(all_sets, weight_requests, sets));
  GASPIPE_TASK(block::mem_rd_unit<Weight>(weights, 1, weight_requests, weight_lines, last_words[4]));
  GASPIPE_TASK(block::mem_rd_unit<Property>(replicas, 1, replica_requests, replica_lines, last_words[1]));
  GASPIPE_TASK(block::nbr_prop_red<Property, Weight, Op>(0, 0, sets, replica_lines, weight_lines, sums));
  GASPIPE_TASK(block::elem_update_coalesce<Value, Lines>(sums, entries));
  GASPIPE_TASK(block::elem_update_req<Value, Policy, kAckDepth>(entries, acks, reads, sent));
  GASPIPE_TASK(block::mem_rd_unit<Value>(gathered, 1, reads, old_lines, last_words[2]));
  GASPIPE_TASK(block::elem_update<Value, Policy>(sent, old_lines, writes, new_lines));
  GASPIPE_TASK(block::mem_wr_unit<Value>(updated, 1, writes, new_lines, acks, last_words[3]));
  GASPIPE_TASK(block::end_collect<kEnds>(0, last_words, ends));
  GASPIPE_RUN;
}

}  // namespace gaspipe
