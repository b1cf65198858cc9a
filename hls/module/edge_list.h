// SPDX-License-Identifier: Apache-2.0
// A pipeline's sub-partitions and edges in one array, so that one AXI port and one channel of HBM serve them: as many
// descriptors (sub_partition.h) as there are sub-partitions, then the words of edges.
//
// Weights lie in both of a pipeline's channels, for each alone would be the slower one: kGroupWords words of edges are
// a group, and a sub-partition has whole groups. Of the words of a group's weights the first ones (near_words) follow
// its edges, and the others (far_words) lie behind the properties, in the other channel. readEdgeList reads the former
// with the edges, lineFetch (line_fetch.h) the latter, and joinWeights puts them in order.
//
// One task reads edges and near weights, so weights that are not taken yet hold up the edges behind them: the FIFO of
// near weights has to hold what lineCommands looks ahead, as that of places (source_property.h).
#pragma once

#include "hls/module/bits.h"
#include "hls/module/sub_partition.h"

namespace gaspipe {

constexpr std::uint32_t kGroupWords = 4;  // of edges, where there are weights

template <class T>
constexpr std::uint32_t words_per_edge_word() {
  return std::uint32_t(sizeof(T) / sizeof(std::uint32_t));
}
// A group is 4 words of edges and 4 of weights of 32 bits, or 8 of 64 bits. Besides, Kronecker graphs with 32 edges a
// vertex and more read 2 to 3 words of properties a group, or 4 to 6. Then the busier channel has 5 to 6 words in the
// one case, 8 to 10 in the other.
template <class T>
constexpr std::uint32_t near_words() {
  return sizeof(T) == sizeof(std::uint32_t) ? 1 : 4;
}
template <class T>
constexpr std::uint32_t far_words() {
  return kGroupWords * words_per_edge_word<T>() - near_words<T>();
}
constexpr std::uint32_t kWeightsAhead = kSourcesAhead + kGroupWords;  // near words, at most one for each of edges

// Descriptors to every task that takes one, edges, and near weights; without weights, the form below.
template <class Weight>
void readEdgeList(const Word<std::uint32_t>* memory, std::uint32_t num_sub_partitions,
                  stream<SubPartitionToken>& weight_sub_partitions, stream<SubPartitionToken>& source_sub_partitions,
                  stream<SubPartitionToken>& row_sub_partitions, stream<SubPartitionToken>& write_sub_partitions,
                  stream<WordToken<std::uint32_t>>& edges, stream<WordToken<Weight>>& near_weights) {
  constexpr std::uint32_t kWords = kGroupWords + near_words<Weight>();  // of a group
  GASPIPE_PORT(Read, port, memory);
  WordToken<std::uint32_t> edge;
  WordToken<Weight> weight;
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    GASPIPE_WORD(port, s, s + 1);
    const SubPartitionToken sub_partition = sub_partition_of(memory[s]);
    write_to_stream(weight_sub_partitions, sub_partition);
    write_to_stream(source_sub_partitions, sub_partition);
    write_to_stream(row_sub_partitions, sub_partition);
    write_to_stream(write_sub_partitions, sub_partition);
    const std::uint32_t first = sub_partition.first_edge_word;
    const std::uint32_t last = first + sub_partition.num_edge_words / kGroupWords * kWords;
    std::uint8_t in_group = 0;
    edge.end = weight.end = false;
    for (std::uint32_t i = first; i < last; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 1048576);
      GASPIPE_WORD(port, i, last);
      const Word<std::uint32_t> word = memory[i];
      if (in_group < kGroupWords) {
        edge.word = word;
        write_to_stream(edges, edge);
      } else {
        weight.word = values_of<Weight>(word);
        write_to_stream(near_weights, weight);
      }
      in_group = std::uint8_t(in_group + 1 == kWords ? 0 : in_group + 1);
    }
    edge.end = weight.end = true;
    write_to_stream(edges, edge);
    write_to_stream(near_weights, weight);
  }
}

// Near and far weights of every group, in the order of its edges: a word a cycle.
template <class Weight>
void joinWeights(std::uint32_t num_sub_partitions, stream<WordToken<Weight>>& near_weights,
                 stream<WordToken<Weight>>& far_weights, stream<WordToken<Weight>>& out) {
  constexpr std::uint32_t kWords = near_words<Weight>() + far_words<Weight>();  // of a group
  WordToken<Weight> token;
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    std::uint8_t in_group = 0;
    token.end = false;
    while (!token.end) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 2097152);
      if (in_group < near_words<Weight>()) {
        read_from_stream(near_weights, token);
      } else {
        read_from_stream(far_weights, token);
      }
      in_group = std::uint8_t(in_group + 1 == kWords ? 0 : in_group + 1);
      write_to_stream(out, token);
    }
    read_from_stream(far_weights, token);  // its end
  }
}

// Without weights.
inline void readEdgeList(const Word<std::uint32_t>* memory, std::uint32_t num_sub_partitions,
                         stream<SubPartitionToken>& source_sub_partitions,
                         stream<SubPartitionToken>& row_sub_partitions, stream<SubPartitionToken>& write_sub_partitions,
                         stream<WordToken<std::uint32_t>>& edges) {
  GASPIPE_PORT(Read, port, memory);
  WordToken<std::uint32_t> edge;
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    GASPIPE_WORD(port, s, s + 1);
    const SubPartitionToken sub_partition = sub_partition_of(memory[s]);
    write_to_stream(source_sub_partitions, sub_partition);
    write_to_stream(row_sub_partitions, sub_partition);
    write_to_stream(write_sub_partitions, sub_partition);
    const std::uint32_t first = sub_partition.first_edge_word, last = first + sub_partition.num_edge_words;
    edge.end = false;
    for (std::uint32_t i = first; i < last; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 1048576);
      GASPIPE_WORD(port, i, last);
      edge.word = memory[i];
      write_to_stream(edges, edge);
    }
    edge.end = true;
    write_to_stream(edges, edge);
  }
}

}  // namespace gaspipe
