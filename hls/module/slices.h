// SPDX-License-Identifier: Apache-2.0
// Several slices (a unit's shares of partitions) in one launch: every task repeats what it does per slice, so that the
// front of the pipeline streams a slice while the one before is still gathered. A slice is described by a 512-bit word
// in memory; a stream's end token ends a slice.
#pragma once

#include "hls/edge_codec.h"
#include "hls/module/source_property.h"
#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

// Lanes of a descriptor.
struct SliceLane {
  static constexpr int kFirstEdgeWord = 0, kNumEdgeWords = 1, kFirstWeightWord = 2, kFirstVertex = 3, kLastVertex = 4,
                       kFirstGatheredWord = 5, kBaseSource = 6;
};

struct Slice {
  std::uint32_t first_edge_word, num_edge_words, first_weight_word, num_vertices, first_gathered_word;
  VertexId base_source;
};

// Descriptors, to everybody who needs one; to `weight_slices` only where there are weights.
template <bool weighted>
void readSlices(const Word<std::uint32_t>* slices, std::uint32_t num_slices, stream<Slice>& edge_slices,
                stream<Slice>& weight_slices, stream<Slice>& source_slices, stream<Slice>& row_slices,
                stream<Slice>& write_slices) {
  GASPIPE_PORT(Read, port, slices);
  for (std::uint32_t i = 0; i < num_slices; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    GASPIPE_WORD(port, i, num_slices);
    const Word<std::uint32_t> word = slices[i];
    Slice slice;
    slice.first_edge_word = word.lane[SliceLane::kFirstEdgeWord];
    slice.num_edge_words = word.lane[SliceLane::kNumEdgeWords];
    slice.first_weight_word = word.lane[SliceLane::kFirstWeightWord];
    slice.num_vertices = word.lane[SliceLane::kLastVertex] - word.lane[SliceLane::kFirstVertex];
    slice.first_gathered_word = word.lane[SliceLane::kFirstGatheredWord];
    slice.base_source = word.lane[SliceLane::kBaseSource];
    write_to_stream(edge_slices, slice);
    if (weighted) write_to_stream(weight_slices, slice);
    write_to_stream(source_slices, slice);
    write_to_stream(row_slices, slice);
    write_to_stream(write_slices, slice);
  }
}

template <class T>
void read_words(const Word<T>* memory, std::uint32_t num_slices, std::uint32_t per_edge_word, bool weights,
                stream<Slice>& slices, stream<WordToken<T>>& out) {
  GASPIPE_PRAGMA(HLS INLINE);
  GASPIPE_PORT(Read, port, memory);
  Slice slice;
  WordToken<T> token;
  for (std::uint32_t s = 0; s < num_slices; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    read_from_stream(slices, slice);
    const std::uint32_t first = weights ? slice.first_weight_word : slice.first_edge_word;
    const std::uint32_t last = first + slice.num_edge_words * per_edge_word;
    token.end = false;
    for (std::uint32_t i = first; i < last; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 1048576);
      GASPIPE_WORD(port, i, last);
      token.word = memory[i];
      write_to_stream(out, token);
    }
    token.end = true;
    write_to_stream(out, token);
  }
}
inline void readEdges(const Word<std::uint32_t>* edges, std::uint32_t num_slices, stream<Slice>& slices,
                      stream<WordToken<std::uint32_t>>& out) {
  read_words(edges, num_slices, 1, false, slices, out);
}
template <class Weight>
void readWeights(const Word<Weight>* weights, std::uint32_t num_slices, stream<Slice>& slices,
                 stream<WordToken<Weight>>& out) {
  read_words(weights, num_slices, std::uint32_t(sizeof(Weight) / sizeof(std::uint32_t)), true, slices, out);
}

// Packed edges become sources, twice, and destinations, counted from the slice's first. A word a cycle: the sums over
// the gaps of lanes 0 to i are a tree that is pipelined; what one iteration needs of the one before is the base alone,
// one addition of 32 bits.
inline void decodeEdges(std::uint32_t num_slices, stream<Slice>& slices, stream<WordToken<std::uint32_t>>& in,
                        stream<WordToken<VertexId>>& command_sources, stream<WordToken<VertexId>>& edge_sources,
                        stream<WordToken<VertexId>>& destinations) {
  constexpr int kEdges = PackedEdgeCodec::kEdgesPerWord;
  Slice slice;
  WordToken<std::uint32_t> edges;
  WordToken<VertexId> source, destination;
  for (std::uint32_t s = 0; s < num_slices; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    read_from_stream(slices, slice);
    VertexId base = slice.base_source;
    source.end = destination.end = false;
    while (!source.end) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
      read_from_stream(in, edges);
      source.end = destination.end = edges.end;
      std::uint32_t sum = 0;
      for (int i = 0; i < kEdges; ++i) {
        GASPIPE_PRAGMA(HLS UNROLL);
        const std::uint32_t edge = edges.word.lane[i], to = PackedEdgeCodec::destination(edge);
        sum += PackedEdgeCodec::gap(edge);
        source.word.lane[i] = base + sum;
        destination.word.lane[i] = to == PackedEdgeCodec::kPadding ? kNoVertex : to;
      }
      base += sum;
      write_to_stream(command_sources, source);  // first: the commands must not wait for those who wait for them
      write_to_stream(edge_sources, source);
      write_to_stream(destinations, destination);
    }
  }
}

// The stages of hls/module/source_property.h, slice by slice.
template <class Property>
void lineCommands(std::uint32_t num_slices, stream<WordToken<VertexId>>& in, stream<LineRun>& out) {
  for (std::uint32_t s = 0; s < num_slices; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    lineCommands<Property>(in, out);
  }
}
template <class Property>
void lineRead(const Word<Property>* properties, std::uint32_t num_slices, stream<LineRun>& in,
              stream<Word<Property>>& out) {
  for (std::uint32_t s = 0; s < num_slices; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    lineRead<Property>(properties, in, out);
  }
}
template <class Hooks, int lanes>
void fetchSources(std::uint32_t num_slices, stream<WordToken<VertexId>>& sources,
                  stream<Word<typename Hooks::Property>>& lines,
                  stream<SourceToken<typename Hooks::Property, lanes>>& out) {
  for (std::uint32_t s = 0; s < num_slices; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    fetchSources<Hooks, lanes>(sources, lines, out);
  }
}

}  // namespace gaspipe
