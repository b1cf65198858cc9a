// SPDX-License-Identifier: Apache-2.0
// The first kernel: one compute unit streams its share of a partition's edges and gathers the updates of the
// partition's destinations on chip.
//
//   sources --burstRead--> markLines --> lineCommands --> lineRead --lines--+
//                              \---------- places ---------------------> fetchSources --+
//   destinations --burstRead-------------------------------------------------------> propProcess --> broadcast
//   weights --burstRead (weighted)---------------------------------------------------/                  |
//                                                                                                       v
//   gathered <--writeBack-- collect <--[PE]-- dstPropertyProcess <-- rawSolver <-- tupleFilter <-- shuffleDecoder [PE]
//
// Every stream ends with an end token and is read blockingly, so the answer cannot depend on timing (a Kahn network).
// Shape: X. Chen et al., "ThunderGP", FPGA 2021.
#pragma once

#include "hls/kernel/units.h"
#include "hls/module/burst_read.h"
#include "hls/module/collect.h"
#include "hls/module/gather.h"
#include "hls/module/property_process.h"
#include "hls/module/raw_solver.h"
#include "hls/module/shuffle.h"
#include "hls/module/source_property.h"
#include "hls/module/update_filter.h"
#include "hls/module/whole_word.h"
#include "hls/module/write_back.h"

namespace gaspipe {

// Depths: what hides a memory's latency is as deep as the latency is long. All others take the uneven load of the PEs,
// and cost no more fabric than shallower ones: a shift register of 16 is half a look-up table per bit, as one of 2 is.
constexpr int kMemoryDepth = 128;
constexpr int kLinkDepth = 16;

// Weights of `num_edge_words` words of ids, in as many words of memory as they take.
template <class Weight>
void readEdgeWeights(const Word<Weight>* weights, std::uint32_t num_edge_words, stream<WordToken<Weight>>& out) {
  burstRead<Weight>(0, num_edge_words * std::uint32_t(sizeof(Weight) / sizeof(VertexId)), weights, out);
}

// Edges in words of 16 ids, [0, num_words); destinations in [first, last), where `first` starts a word of `gathered`.
// The emulator compiles it as it is; a top has its text, expanded (python/gaspipe/_card/region.py).
template <class Hooks, class Width, bool weighted>
void gather_scatter(const Word<VertexId>* sources, const Word<VertexId>* destinations,
                    const Word<typename Traits<Hooks>::EdgeProperty>* weights,
                    const Word<typename Hooks::Property>* properties, Word<typename Traits<Hooks>::Update>* gathered,
                    std::uint32_t num_words, VertexId first, VertexId last) {
  constexpr int kLanes = Width::kLanes, kPes = Width::kPes;
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  using Ids = WordToken<VertexId>;
  using Line = Word<Property>;
  using Sources = typename TokensOf<Property, kLanes>::Sources;
  using EdgeWeights = WordToken<Weight>;
  using Updates = typename TokensOf<Value, kLanes>::Updates;
  using Listed = typename TokensOf<Value, kLanes>::Listed;
  using Single = UpdateToken<Value>;
  using Gathered = WordToken<Value>;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(Ids, read_sources, kLinkDepth);
  GASPIPE_STREAM(MarkedSources, command_sources, kLinkDepth);
  GASPIPE_STREAM(SourcePlaces, edge_sources, 2 * kSourcesAhead, kSourcesAhead);
  GASPIPE_STREAM(LineRun, runs, kLinkDepth);
  GASPIPE_STREAM(Line, lines, kMemoryDepth);
  GASPIPE_STREAM(Sources, source_properties, kLinkDepth);
  GASPIPE_STREAM(Ids, edge_destinations, kMemoryDepth);
  GASPIPE_STREAM(EdgeWeights, edge_weights, kMemoryDepth);
  GASPIPE_STREAM(Updates, updates, kLinkDepth);
  GASPIPE_STREAMS(Updates, pe_updates, kPes, kLinkDepth);
  GASPIPE_STREAMS(Listed, listed, kPes, kLinkDepth);
  GASPIPE_STREAMS(Single, filtered, kPes, kLinkDepth);
  GASPIPE_STREAMS(Single, solved, kPes, kLinkDepth);
  GASPIPE_STREAMS(Value, values, kPes, kLinkDepth);
  GASPIPE_STREAM(Gathered, words, kMemoryDepth);

  GASPIPE_TASK(burstRead<VertexId>(0, num_words, sources, read_sources));
  GASPIPE_TASK(markLines<Property>(read_sources, command_sources, edge_sources));
  GASPIPE_TASK(lineCommands<Property>(command_sources, runs));
  GASPIPE_TASK(lineRead<Property>(properties, runs, lines));
  GASPIPE_TASK(fetchSources<Hooks, kLanes>(edge_sources, lines, source_properties));
  GASPIPE_TASK(burstRead<VertexId>(0, num_words, destinations, edge_destinations));
  if (weighted) {
    GASPIPE_TASK(readEdgeWeights<Weight>(weights, num_words, edge_weights));
    GASPIPE_TASK(propProcess<Hooks, kLanes>(source_properties, edge_destinations, edge_weights, updates));
  } else {
    GASPIPE_TASK(propProcess<Hooks, kLanes>(source_properties, edge_destinations, updates));
  }
  GASPIPE_TASK(broadcast<kPes>(updates, pe_updates));
  for (int pe = 0; pe < kPes; ++pe) {
    GASPIPE_TASK_I(pe, shuffleDecoder<kLanes, kPes>(pe, pe_updates[pe], listed[pe]));
    GASPIPE_TASK_I(pe, tupleFilter<kLanes>(listed[pe], filtered[pe]));
    GASPIPE_TASK_I(pe, rawSolver<Hooks>(filtered[pe], solved[pe]));
    GASPIPE_TASK_I(pe, dstPropertyProcess<Hooks, kPes, Width::kMaxCapacity>(pe, first, last, solved[pe], values[pe]));
  }
  GASPIPE_TASK(collect<Value, kPes>(first, last, values, words));
  GASPIPE_TASK(writeBack<Value>(0, gathered, words));
  GASPIPE_RUN;
}

}  // namespace gaspipe
