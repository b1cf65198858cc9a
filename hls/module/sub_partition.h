// SPDX-License-Identifier: Apache-2.0
// Several sub-partitions, of different partitions, in one launch: every task repeats what it does per sub-partition, so
// that the front of the pipeline streams one while the one before is still gathered. A word of 512 bits in memory
// describes a sub-partition; a stream's end token ends one. A descriptor with no words of edges passes over a
// sub-partition: its destinations are written as identity.
#pragma once

#include "hls/edge_codec.h"
#include "hls/module/source_property.h"
#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

// Lanes of a descriptor.
struct SubPartitionLane {
  static constexpr int kFirstEdgeWord = 0, kNumEdgeWords = 1, kFirstWeightWord = 2, kFirstVertex = 3, kLastVertex = 4,
                       kFirstGatheredWord = 5, kBaseSource = 6;
};

struct SubPartitionToken {
  std::uint32_t first_edge_word, num_edge_words, first_weight_word, num_vertices, first_gathered_word;
  VertexId base_source;
};

inline SubPartitionToken sub_partition_of(const Word<std::uint32_t>& descriptor) {
  GASPIPE_PRAGMA(HLS INLINE);
  SubPartitionToken sub_partition;
  sub_partition.first_edge_word = descriptor.lane[SubPartitionLane::kFirstEdgeWord];
  sub_partition.num_edge_words = descriptor.lane[SubPartitionLane::kNumEdgeWords];
  sub_partition.first_weight_word = descriptor.lane[SubPartitionLane::kFirstWeightWord];
  sub_partition.num_vertices =
      descriptor.lane[SubPartitionLane::kLastVertex] - descriptor.lane[SubPartitionLane::kFirstVertex];
  sub_partition.first_gathered_word = descriptor.lane[SubPartitionLane::kFirstGatheredWord];
  sub_partition.base_source = descriptor.lane[SubPartitionLane::kBaseSource];
  return sub_partition;
}

// Descriptors, to every task that takes one; without weights, the form below.
inline void readSubPartitions(const Word<std::uint32_t>* sub_partitions, std::uint32_t num_sub_partitions,
                              stream<SubPartitionToken>& edge_sub_partitions,
                              stream<SubPartitionToken>& weight_sub_partitions,
                              stream<SubPartitionToken>& source_sub_partitions,
                              stream<SubPartitionToken>& row_sub_partitions,
                              stream<SubPartitionToken>& write_sub_partitions) {
  GASPIPE_PORT(Read, port, sub_partitions);
  for (std::uint32_t i = 0; i < num_sub_partitions; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    GASPIPE_WORD(port, i, num_sub_partitions);
    const SubPartitionToken sub_partition = sub_partition_of(sub_partitions[i]);
    write_to_stream(edge_sub_partitions, sub_partition);
    write_to_stream(weight_sub_partitions, sub_partition);
    write_to_stream(source_sub_partitions, sub_partition);
    write_to_stream(row_sub_partitions, sub_partition);
    write_to_stream(write_sub_partitions, sub_partition);
  }
}
inline void readSubPartitions(const Word<std::uint32_t>* sub_partitions, std::uint32_t num_sub_partitions,
                              stream<SubPartitionToken>& edge_sub_partitions,
                              stream<SubPartitionToken>& source_sub_partitions,
                              stream<SubPartitionToken>& row_sub_partitions,
                              stream<SubPartitionToken>& write_sub_partitions) {
  GASPIPE_PORT(Read, port, sub_partitions);
  for (std::uint32_t i = 0; i < num_sub_partitions; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    GASPIPE_WORD(port, i, num_sub_partitions);
    const SubPartitionToken sub_partition = sub_partition_of(sub_partitions[i]);
    write_to_stream(edge_sub_partitions, sub_partition);
    write_to_stream(source_sub_partitions, sub_partition);
    write_to_stream(row_sub_partitions, sub_partition);
    write_to_stream(write_sub_partitions, sub_partition);
  }
}

// `words` for every word of edges, from the first one of edges or of weights that a descriptor has.
template <std::uint32_t words, bool weights, class T>
void read_words(const Word<T>* memory, std::uint32_t num_sub_partitions, stream<SubPartitionToken>& sub_partitions,
                stream<WordToken<T>>& out) {
  GASPIPE_PRAGMA(HLS INLINE);
  GASPIPE_PORT(Read, port, memory);
  SubPartitionToken sub_partition;
  WordToken<T> token;
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    read_from_stream(sub_partitions, sub_partition);
    const std::uint32_t first = weights ? sub_partition.first_weight_word : sub_partition.first_edge_word;
    const std::uint32_t last = first + sub_partition.num_edge_words * words;
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
inline void readEdges(const Word<std::uint32_t>* edges, std::uint32_t num_sub_partitions,
                      stream<SubPartitionToken>& sub_partitions, stream<WordToken<std::uint32_t>>& out) {
  read_words<1, false>(edges, num_sub_partitions, sub_partitions, out);
}
template <class Weight>
void readWeights(const Word<Weight>* weights, std::uint32_t num_sub_partitions,
                 stream<SubPartitionToken>& sub_partitions, stream<WordToken<Weight>>& out) {
  read_words<std::uint32_t(sizeof(Weight) / sizeof(std::uint32_t)), true>(weights, num_sub_partitions, sub_partitions,
                                                                          out);
}

// Packed edges become sources, marked as markLines does it, and destinations, counted from the sub-partition's first. A
// word a cycle: the sums over the gaps of lanes 0 to i are a tree that is pipelined; from the iteration before, one
// needs the base alone, one addition of 32 bits.
template <class Property>
void decodeEdges(std::uint32_t num_sub_partitions, stream<SubPartitionToken>& sub_partitions,
                 stream<WordToken<std::uint32_t>>& in, stream<MarkedSources>& command_sources,
                 stream<SourcePlaces>& edge_sources, stream<WordToken<VertexId>>& destinations) {
  constexpr int kEdges = PackedEdgeCodec::kEdgesPerWord;
  SubPartitionToken sub_partition;
  WordToken<std::uint32_t> edges;
  VertexId sources[kEdges];
  MarkedSources marked;
  SourcePlaces places;
  WordToken<VertexId> destination;
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    read_from_stream(sub_partitions, sub_partition);
    VertexId base = sub_partition.base_source;
    std::uint32_t last = kNoLine;
    destination.end = false;
    while (!destination.end) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
      read_from_stream(in, edges);
      marked.end = places.end = destination.end = edges.end;
      std::uint32_t sum = 0;
      for (int i = 0; i < kEdges; ++i) {
        GASPIPE_PRAGMA(HLS UNROLL);
        const std::uint32_t edge = edges.word.lane[i], to = PackedEdgeCodec::destination(edge);
        sum += PackedEdgeCodec::gap(edge);
        sources[i] = base + sum;
        destination.word.lane[i] = to == PackedEdgeCodec::kPadding ? kNoVertex : to;
      }
      base += sum;
      mark_lines<Property>(sources, last, marked, places);
      write_to_stream(command_sources, marked);  // first: a task that waits for commands must not delay them
      write_to_stream(edge_sources, places);
      write_to_stream(destinations, destination);
    }
  }
}

// The stages of hls/module/source_property.h, sub-partition by sub-partition.
template <class Property>
void lineCommands(std::uint32_t num_sub_partitions, stream<MarkedSources>& in, stream<LineRun>& out) {
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    lineCommands<Property>(in, out);
  }
}
template <class Property>
void lineRead(const Word<Property>* properties, std::uint32_t num_sub_partitions, stream<LineRun>& in,
              stream<Word<Property>>& out) {
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    lineRead<Property>(properties, in, out);
  }
}
template <class Hooks, int lanes>
void fetchSources(std::uint32_t num_sub_partitions, stream<SourcePlaces>& places,
                  stream<Word<typename Hooks::Property>>& lines,
                  stream<SourceToken<typename Hooks::Property, lanes>>& out) {
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    fetchSources<Hooks, lanes>(places, lines, out);
  }
}

}  // namespace gaspipe
