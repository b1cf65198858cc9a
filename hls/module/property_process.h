// SPDX-License-Identifier: Apache-2.0
// propProcess: sources' properties, destinations and weights become updates, a set of `lanes` edges a cycle. Padding
// and updates that are not active are not valid. Names: X. Chen et al., "ThunderGP", FPGA 2021.
#pragma once

#include "hls/edge_codec.h"
#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

// An edge's update; whether it goes on. Without `filter` inactive ones do: for programs whose identity is harmless.
template <class Hooks, bool filter = true>
bool form_update(const typename Hooks::Property& property, VertexId destination,
                 const typename Traits<Hooks>::EdgeProperty& weight, Update<typename Traits<Hooks>::Update>& update) {
  GASPIPE_PRAGMA(HLS INLINE);
  update.destination = destination;
  update.value = Hooks::scatterFunc(property, weight);
  return destination != PlainEdgeCodec::kPadding && (!filter || Traits<Hooks>::is_active(update.value));
}

// Every edge has weight 1.
template <class Hooks, int lanes, bool filter = true>
void propProcess(stream<SourceToken<typename Hooks::Property, lanes>>& properties,
                 stream<WordToken<VertexId>>& destinations,
                 stream<UpdateSet<typename Traits<Hooks>::Update, lanes>>& out) {
  constexpr int kIds = Word<VertexId>::kSize;
  SourceToken<typename Hooks::Property, lanes> sources;
  WordToken<VertexId> ids;
  UpdateSet<typename Traits<Hooks>::Update, lanes> set;
  set.end = false;
  int at = kIds;  // the set's first lane in `ids`
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 2097152);
    read_from_stream(properties, sources);
    if (at == kIds) {
      read_from_stream(destinations, ids);
      at = 0;
    }
    if (sources.end) break;
    set.valid = 0;
    for (int i = 0; i < lanes; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      const bool valid = form_update<Hooks, filter>(sources.property[i], ids.word.lane[at + i],
                                                    typename Traits<Hooks>::EdgeProperty(1), set.update[i]);
      set.valid |= std::uint32_t(valid) << i;
    }
    write_to_stream(out, set);
    at += lanes;
  }
  set.end = true;
  write_to_stream(out, set);
}

// Weights beside the destinations. Where a word of them has less than a set (64-bit weights, 16 lanes) a set takes a
// cycle per word.
template <class Hooks, int lanes, bool filter = true>
void propProcess(stream<SourceToken<typename Hooks::Property, lanes>>& properties,
                 stream<WordToken<VertexId>>& destinations,
                 stream<WordToken<typename Traits<Hooks>::EdgeProperty>>& weights,
                 stream<UpdateSet<typename Traits<Hooks>::Update, lanes>>& out) {
  using Weight = typename Traits<Hooks>::EdgeProperty;
  constexpr int kIds = Word<VertexId>::kSize, kWeights = Word<Weight>::kSize;
  constexpr int kStep = kWeights < lanes ? kWeights : lanes;  // edges of a cycle
  SourceToken<typename Hooks::Property, lanes> sources;
  WordToken<VertexId> ids;
  WordToken<Weight> word;
  UpdateSet<typename Traits<Hooks>::Update, lanes> set;
  set.valid = 0;
  set.end = false;
  int lane = 0;                            // of the set
  int id_at = kIds, weight_at = kWeights;  // in `ids` and `word`
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 2097152);
    if (lane == 0) read_from_stream(properties, sources);
    if (id_at == kIds) {
      read_from_stream(destinations, ids);
      id_at = 0;
    }
    if (weight_at == kWeights) {
      read_from_stream(weights, word);
      weight_at = 0;
    }
    if (sources.end) break;
    for (int i = 0; i < kStep; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      const bool valid = form_update<Hooks, filter>(sources.property[lane + i], ids.word.lane[id_at + i],
                                                    word.word.lane[weight_at + i], set.update[lane + i]);
      set.valid |= std::uint32_t(valid) << (lane + i);
    }
    id_at += kStep;
    weight_at += kStep;
    lane += kStep;
    if (lane == lanes) {
      write_to_stream(out, set);
      set.valid = 0;
      lane = 0;
    }
  }
  set.end = true;
  write_to_stream(out, set);
}

}  // namespace gaspipe
