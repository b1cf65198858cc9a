// SPDX-License-Identifier: Apache-2.0
// The gather-scatter kernel of the published design, to be compared with ours in the emulator: X. Chen et al.,
// "ThunderGP", FPGA 2021, and its public sources. Same edges, same answers, other cycles (read.h and gather.h): bursts
// are read in full before they go on, blocks of source lines are fetched whole, a set costs the filter two cycles more,
// RAW solver and gather take two cycles per update, and the flush alternates between gathering a burst and writing it.
// It flushes [first, last); as published that is the whole buffer, first + capacity.
//
// This folder includes modules of ours; none of ours includes this folder, so it is in no digest of our kernels.
//
//   sources --burstRead--> duplicateSources --> stream2Command --> updateVertexCache --lines--+
//                                  \----------- sources --------------------------> readEdgesStage --> propProcess
//   destinations (and weights) --burstRead---------------------------------------------------------------/  |
//   gathered <--processEdgeWrite <--[PE]-- dstPropertyProcess <-- rawSolver <-- tupleFilter <-- shuffleDecoder
//
// Left out, as they cost no cycles between full streams: the slices of registers between modules, and the fan-out in
// two steps. Merging in the RAW window is by row of UltraRAM (hls/module/uram_word.h).
#pragma once

#include "hls/kernel/gather_scatter.h"
#include "hls/thundergp/gather.h"
#include "hls/thundergp/read.h"

namespace gaspipe {
namespace thundergp {

// Depths as in the sources: QUEUE_SIZE_MEMORY and, between shuffle and filter, QUEUE_SIZE_FILTER (16 or 32, by
// application) and the slices around it; elsewhere 2.
constexpr int kMemoryDepth = 512;
constexpr int kFilterDepth = 16 + 4 + 4;
constexpr int kLinkDepth = 2;

template <class Weight>
void readEdgeWeights(const Word<Weight>* weights, std::uint32_t num_edge_words, stream<WordToken<Weight>>& out) {
  thundergp::burstRead(0, num_edge_words * std::uint32_t(sizeof(Weight) / sizeof(VertexId)), weights, out);
}

// As gaspipe::gather_scatter; `num_lines` words of properties, which are fetched in blocks of 2^log_block_lines (6 or
// 7).
template <class Hooks, class Width, bool weighted>
void gather_scatter(const Word<VertexId>* sources, const Word<VertexId>* destinations,
                    const Word<typename Traits<Hooks>::EdgeProperty>* weights,
                    const Word<typename Hooks::Property>* properties, Word<typename Traits<Hooks>::Update>* gathered,
                    std::uint32_t num_words, VertexId first, VertexId last, std::uint32_t num_lines,
                    std::uint32_t log_block_lines = kLogBlockLines) {
  constexpr int kLanes = 8, kPes = 16;
  static_assert(Width::kLanes == kLanes && Width::kPes == kPes, "the published design has 8 lanes and 16 PEs");
  constexpr VertexId kCapacity = Width::kMaxCapacity;
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  using Ids = WordToken<VertexId>;
  using Line = thundergp::Line<Property>;
  using Sources = SourceToken<Property, kLanes>;
  using EdgeWeights = WordToken<Weight>;
  using Updates = UpdateSet<Value, kLanes>;
  using Packed = PackedSet<Value, kLanes>;
  using Single = UpdateToken<Value>;
  using Solved = RowUpdate<Value>;
  using Row = UramWord<Value>;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(Ids, read_sources, kMemoryDepth);
  GASPIPE_STREAM(Ids, command_sources, kLinkDepth);
  GASPIPE_STREAM(Ids, edge_sources, kMemoryDepth);
  GASPIPE_STREAM(LineRun, runs, kMemoryDepth);
  // It holds what a command covers past its word's last source: the rest of a block and two more.
  GASPIPE_STREAM(Line, lines, kMemoryDepth, 3 * kMostBlockLines);
  GASPIPE_STREAM(Sources, source_properties, kLinkDepth);
  GASPIPE_STREAM(Ids, edge_destinations, kMemoryDepth);
  GASPIPE_STREAM(EdgeWeights, edge_weights, kMemoryDepth);
  GASPIPE_STREAM(Updates, updates, kLinkDepth);
  GASPIPE_STREAMS(Updates, pe_updates, kPes, kLinkDepth);
  GASPIPE_STREAMS(Packed, packed, kPes, kFilterDepth);
  GASPIPE_STREAMS(Single, filtered, kPes, kLinkDepth);
  GASPIPE_STREAMS(Solved, solved, kPes, kLinkDepth);
  GASPIPE_STREAMS(Row, rows, kPes, kLinkDepth);

  GASPIPE_TASK(thundergp::burstRead(0, num_words, sources, read_sources));
  GASPIPE_TASK(duplicateSources(read_sources, command_sources, edge_sources));
  GASPIPE_TASK(thundergp::stream2Command<Property>(num_lines, log_block_lines, command_sources, runs));
  GASPIPE_TASK(thundergp::updateVertexCache(properties, num_lines, log_block_lines, runs, lines));
  GASPIPE_TASK(thundergp::readEdgesStage<Hooks>(num_lines, edge_sources, lines, source_properties));
  GASPIPE_TASK(thundergp::burstRead(0, num_words, destinations, edge_destinations));
  if (weighted) {
    GASPIPE_TASK(thundergp::readEdgeWeights<Weight>(weights, num_words, edge_weights));
    GASPIPE_TASK(propProcess<Hooks, kLanes>(source_properties, edge_destinations, edge_weights, updates));
  } else {
    GASPIPE_TASK(propProcess<Hooks, kLanes>(source_properties, edge_destinations, updates));
  }
  GASPIPE_TASK(broadcast<kPes>(updates, pe_updates));
  for (int pe = 0; pe < kPes; ++pe) {
    GASPIPE_TASK_I(pe, shuffleDecoder<kLanes, kPes>(pe, pe_updates[pe], packed[pe]));
    GASPIPE_TASK_I(pe, thundergp::tupleFilter<kLanes>(packed[pe], filtered[pe]));
    GASPIPE_TASK_I(pe, thundergp::rawSolver<Hooks, kPes>(pe, first, filtered[pe], solved[pe]));
    GASPIPE_TASK_I(pe, thundergp::dstPropertyProcess<Hooks, kPes, kCapacity, kCopy>(first, last, solved[pe], rows[pe]));
  }
  GASPIPE_TASK(thundergp::processEdgeWrite(first, last, rows, gathered));
  GASPIPE_RUN;
}

}  // namespace thundergp
}  // namespace gaspipe
