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
  bool second = false;  // the set is the second of its word
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 2097152);
    read_from_stream(properties, sources);
    if (!second) {
      read_from_stream(destinations, ids);
    } else {
      lower_half<lanes>(ids.word.lane);
    }
    if (sources.end) break;
    set.valid = 0;
    for (int i = 0; i < lanes; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      const bool valid = form_update<Hooks, filter>(sources.property[i], ids.word.lane[i],
                                                    typename Traits<Hooks>::EdgeProperty(1), set.update[i]);
      set.valid |= std::uint32_t(valid) << i;
    }
    write_to_stream(out, set);
    second = lanes != kIds && !second;
  }
  set.end = true;
  write_to_stream(out, set);
}

// Weights beside the destinations. Where a word of them has less than a set (64-bit weights, 16 lanes) a set takes a
// cycle per word. So a cycle takes all of a word of ids, of one of weights and of a set, or half of it.
template <class Hooks, int lanes, bool filter = true>
void propProcess(stream<SourceToken<typename Hooks::Property, lanes>>& properties,
                 stream<WordToken<VertexId>>& destinations,
                 stream<WordToken<typename Traits<Hooks>::EdgeProperty>>& weights,
                 stream<UpdateSet<typename Traits<Hooks>::Update, lanes>>& out) {
  using Weight = typename Traits<Hooks>::EdgeProperty;
  constexpr int kIds = Word<VertexId>::kSize, kWeights = Word<Weight>::kSize;
  constexpr int kStep = kWeights < lanes ? kWeights : lanes;  // edges of a cycle
  constexpr bool kWholeIds = kStep == kIds, kWholeWeights = kStep == kWeights, kWholeSet = kStep == lanes;
  SourceToken<typename Hooks::Property, lanes> sources;
  WordToken<VertexId> ids;
  WordToken<Weight> word;
  UpdateSet<typename Traits<Hooks>::Update, lanes> set;
  set.valid = 0;
  set.end = false;
  bool second = false;  // the cycle takes second halves
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 2097152);
    if (kWholeSet || !second) {
      read_from_stream(properties, sources);
    } else {
      lower_half<kStep>(sources.property);
    }
    if (kWholeIds || !second) {
      read_from_stream(destinations, ids);
    } else {
      lower_half<kStep>(ids.word.lane);
    }
    if (kWholeWeights || !second) {
      read_from_stream(weights, word);
    } else {
      lower_half<kStep>(word.word.lane);
    }
    if (sources.end) break;
    lower_half<kStep>(set.update);  // the second half of a set pushes down the first
    set.valid = kWholeSet ? 0 : set.valid >> kStep;
    for (int i = 0; i < kStep; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      const int to = lanes - kStep + i;
      const bool valid =
          form_update<Hooks, filter>(sources.property[i], ids.word.lane[i], word.word.lane[i], set.update[to]);
      set.valid |= std::uint32_t(valid) << to;
    }
    if (kWholeSet || second) write_to_stream(out, set);
    second = !kWholeIds && !second;
  }
  set.end = true;
  write_to_stream(out, set);
}

}  // namespace gaspipe
