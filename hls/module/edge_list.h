// SPDX-License-Identifier: Apache-2.0
// A pipeline's sub-partitions, edges and weights in one array, so that one AXI port and one channel of HBM serve them:
// as many descriptors (sub_partition.h) as there are sub-partitions, then the words of edges. With weights, the words
// of its 16 weights follow every word of edges: one of 32 bits each, or two of 64.
//
// One task reads it all, so weights that are not taken yet hold up the edges behind them: the FIFO of weights has to
// hold what lineCommands looks ahead, as that of places (source_property.h).
#pragma once

#include "hls/module/bits.h"
#include "hls/module/sub_partition.h"

namespace gaspipe {

constexpr std::uint32_t kWeightsAhead = 2 * kSourcesAhead;  // words, two for each of edges

template <class T>
constexpr std::uint32_t words_per_edge_word() {
  return std::uint32_t(sizeof(T) / sizeof(std::uint32_t));
}

// A word of memory as one of weights.
template <class Weight>
Word<Weight> weights_of(const Word<std::uint32_t>& bits) {
  GASPIPE_PRAGMA(HLS INLINE);
  Word<Weight> word;
  for (int i = 0; i < Word<Weight>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    BitsOf<Weight> one = BitsOf<Weight>(bits.lane[i * int(words_per_edge_word<Weight>())]);
    if (sizeof(Weight) == 8) {
      one |= BitsOf<Weight>(std::uint64_t(bits.lane[(2 * i + 1) % Word<std::uint32_t>::kSize]) << 32);
    }
    word.lane[i] = from_bits<Weight>(one);
  }
  return word;
}

// Descriptors to every task that takes one, edges, and weights; without weights, the form below.
template <class Weight>
void readEdgeList(const Word<std::uint32_t>* memory, std::uint32_t num_sub_partitions,
                  stream<SubPartitionToken>& source_sub_partitions, stream<SubPartitionToken>& row_sub_partitions,
                  stream<SubPartitionToken>& write_sub_partitions, stream<WordToken<std::uint32_t>>& edges,
                  stream<WordToken<Weight>>& weights) {
  GASPIPE_PORT(Read, port, memory);
  WordToken<std::uint32_t> edge;
  WordToken<Weight> weight;
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    GASPIPE_WORD(port, s, s + 1);
    const SubPartitionToken sub_partition = sub_partition_of(memory[s]);
    write_to_stream(source_sub_partitions, sub_partition);
    write_to_stream(row_sub_partitions, sub_partition);
    write_to_stream(write_sub_partitions, sub_partition);
    const std::uint32_t first = sub_partition.first_edge_word;
    const std::uint32_t last = first + sub_partition.num_edge_words * (1 + words_per_edge_word<Weight>());
    std::uint8_t until = 0;  // words of weights before the next of edges
    edge.end = weight.end = false;
    for (std::uint32_t i = first; i < last; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 1048576);
      GASPIPE_WORD(port, i, last);
      const Word<std::uint32_t> word = memory[i];
      if (until == 0) {
        edge.word = word;
        write_to_stream(edges, edge);
        until = std::uint8_t(words_per_edge_word<Weight>());
      } else {
        weight.word = weights_of<Weight>(word);
        write_to_stream(weights, weight);
        --until;
      }
    }
    edge.end = weight.end = true;
    write_to_stream(edges, edge);
    write_to_stream(weights, weight);
  }
}
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
