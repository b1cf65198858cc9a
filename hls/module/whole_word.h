// SPDX-License-Identifier: Apache-2.0
// Values that fill a word of memory (BitSet<512>): the tasks of a gather-scatter kernel that differ for them. Sixteen
// of them a cycle would be 8192 wires to every PE. But each is a line of its own, of which the port delivers one a
// cycle: so a cycle takes the edges of one source, up to the 16 of a word of ids, and its value travels once, beside
// their destinations. Programs whose values are so wide read no weights.
//
//   lines, places --fetchSources--> propProcess --> broadcast --> shuffleDecoder --> tupleFilter --> rawSolver -->
//   dstPropertyProcess [PE]
#pragma once

#include "hls/edge_codec.h"
#include "hls/module/gather.h"
#include "hls/module/shuffle.h"
#include "hls/module/source_property.h"
#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

constexpr int kSharedLanes = Word<VertexId>::kSize;

// A source's part of a word of edges, or all of it.
template <class Property>
struct SharedSource {
  Property property;    // preprocessed
  std::uint16_t lanes;  // the edges' bits
  bool last;            // of the word
  bool end;
};
// Updates of a cycle, all of the same value.
template <class Value>
struct SharedSet {
  VertexId destination[kSharedLanes];
  Value value;
  std::uint32_t valid;  // bit per lane
  bool end;
};
// A set, with a list of those that are for one PE, as ListedSet has it.
template <class Value>
struct SharedListed {
  VertexId destination[kSharedLanes];
  Value value;
  std::uint64_t lane;
  std::uint8_t num;
  bool end;
};

// The tokens of a kernel by its values; the tasks follow from the tokens.
template <class Value, int lanes, bool is_whole = fills_word<Value>()>
struct TokensOf {
  using Sources = SourceToken<Value, lanes>;
  using Updates = UpdateSet<Value, lanes>;
  using Listed = ListedSet<Value, lanes>;
};
template <class Value, int lanes>
struct TokensOf<Value, lanes, true> {
  using Sources = SharedSource<Value>;
  using Updates = SharedSet<Value>;
  using Listed = SharedListed<Value>;
};

// A word of edges takes a cycle per source in it.
template <class Hooks, int lanes>
void fetchSources(stream<SourcePlaces>& places, stream<Word<typename Hooks::Property>>& lines,
                  stream<SharedSource<typename Hooks::Property>>& out) {
  using Property = typename Hooks::Property;
  SourcePlaces word;
  Word<Property> line;
  SharedSource<Property> source;
  source.end = false;
  std::uint32_t pending = 0;  // lanes that wait for a line
  std::uint8_t left = 0;      // sources of the word that are not sent; counted, for comparing lanes takes longer
  bool take = true;           // the cycle begins a word
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
    bool is_held = false;  // the line at hand is that of the word's first lanes
    if (take) {
      read_from_stream(places, word);
      if (word.end) break;
      pending = word.first;
      is_held = (word.first & 1u) == 0;
      left = static_cast<std::uint8_t>(word.num[0] + word.num[1] + is_held);
    }
    if (!is_held) read_from_stream(lines, line);
    const std::uint32_t lowest = pending & (0u - pending);
    const std::uint32_t from = is_held ? ~0u : 0u - lowest, rest = is_held ? pending : pending & (pending - 1);
    const std::uint32_t until = (rest & (0u - rest)) - 1;  // all where none is left
    source.property = source_property<Hooks>(line.lane[0]);
    source.lanes = static_cast<std::uint16_t>(from & until);
    source.last = take = left == 1;
    write_to_stream(out, source);
    pending = rest;
    --left;
  }
  source.end = true;
  write_to_stream(out, source);
}

template <class Hooks, int lanes>
void propProcess(stream<SharedSource<typename Hooks::Property>>& properties, stream<WordToken<VertexId>>& destinations,
                 stream<SharedSet<typename Traits<Hooks>::Update>>& out) {
  static_assert(!Traits<Hooks>::kReadsEdgeProperty, "edges of one source send one value: without weights");
  SharedSource<typename Hooks::Property> source;
  WordToken<VertexId> ids;
  SharedSet<typename Traits<Hooks>::Update> set;
  set.end = false;
  bool begins = true;  // the next source is a word's first
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
    read_from_stream(properties, source);
    if (begins) read_from_stream(destinations, ids);
    if (source.end) break;
    set.value = Hooks::scatterFunc(source.property, typename Traits<Hooks>::EdgeProperty(1));
    const bool is_active = Traits<Hooks>::is_active(set.value);
    set.valid = 0;
    for (int i = 0; i < kSharedLanes; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      set.destination[i] = ids.word.lane[i];
      const bool is_valid = is_active && (source.lanes >> i & 1u) != 0 && ids.word.lane[i] != PlainEdgeCodec::kPadding;
      set.valid |= std::uint32_t(is_valid) << i;
    }
    write_to_stream(out, set);
    begins = source.last;
  }
  set.end = true;
  write_to_stream(out, set);
}
// A region has this call in the branch for weights, which is not taken.
template <class Hooks, int lanes>
void propProcess(stream<SharedSource<typename Hooks::Property>>& properties, stream<WordToken<VertexId>>& destinations,
                 stream<WordToken<typename Traits<Hooks>::EdgeProperty>>& /*weights*/,
                 stream<SharedSet<typename Traits<Hooks>::Update>>& out) {
  propProcess<Hooks, lanes>(properties, destinations, out);
}

// What is for PE `pe`: destination % pes == pe.
template <int lanes, int pes, class Value>
void shuffleDecoder(int pe, stream<SharedSet<Value>>& in, stream<SharedListed<Value>>& out) {
  SharedSet<Value> set;
  set.end = false;
  while (!set.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
    read_from_stream(in, set);
    std::uint32_t bits = 0;
    for (int i = 0; i < kSharedLanes; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      bits |= std::uint32_t(set.destination[i] % pes == std::uint32_t(pe)) << i;
    }
    bits &= set.valid;
    if (bits != 0 || set.end) {
      SharedListed<Value> listed;
      for (int i = 0; i < kSharedLanes; ++i) {
        GASPIPE_PRAGMA(HLS UNROLL);
        listed.destination[i] = set.destination[i];
      }
      listed.value = set.value;
      list_bits<kSharedLanes>(bits, listed);
      listed.end = set.end;
      write_to_stream(out, listed);
    }
  }
}

// One update a cycle, as the other one.
template <int lanes, class Value>
void tupleFilter(stream<SharedListed<Value>>& in, stream<UpdateToken<Value>>& out) {
  SharedListed<Value> set;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = set.destination complete);
  UpdateToken<Value> token;
  token.end = false;
  std::uint8_t left = 0;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
    if (left == 0) {
      read_from_stream(in, set);
      if (set.end) break;
      left = set.num;
    }
    token.update.destination = set.destination[set.lane % kSharedLanes];
    token.update.value = set.value;
    write_to_stream(out, token);
    --left;
    set.lane >>= 4;
  }
  token.end = true;
  write_to_stream(out, token);
}

// As the other one; a row of memory is a word: eight blocks of UltraRAM side by side.
template <class Hooks, int pes, VertexId max_capacity, int apart = update_distance<Hooks>(),
          int interval = gather_interval<Hooks>(apart), EnableIf<fills_word<typename Traits<Hooks>::Update>(), int> = 0>
void dstPropertyProcess(int pe, VertexId first, VertexId last, stream<UpdateToken<typename Traits<Hooks>::Update>>& in,
                        stream<typename Traits<Hooks>::Update>& out) {
  using Value = typename Traits<Hooks>::Update;
  static_assert(max_capacity % 16 == 0, "rows of PEs");
  GASPIPE_ON_CHIP(Value, buffer, max_capacity / pes, URAM);
  GASPIPE_PRAGMA(HLS AGGREGATE variable = buffer);
  const std::uint32_t num = values_per_pe<Value, pes>(first, last);
  for (std::uint32_t i = 0; i < num; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16384);
    buffer[i] = Traits<Hooks>::identity();
  }
  const VertexId base = first + static_cast<VertexId>(pe);
  UpdateToken<Value> token;
  while (true) {
    GASPIPE_PIPELINE(interval);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
    // An address comes again after that many iterations at the earliest: rawSolver sees to it
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = buffer inter RAW true distance = apart);
    read_from_stream(in, token);
    if (token.end) break;
    if (!merges_at_once<Hooks>() && token.update.destination == kNoVertex) continue;
    const std::uint32_t at = (token.update.destination - base) / pes;
    buffer[at] = Hooks::gatherFunc(buffer[at], token.update.value);
  }
  for (std::uint32_t i = 0; i < num; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16384);
    write_to_stream(out, buffer[i]);
  }
}

}  // namespace gaspipe
