// SPDX-License-Identifier: Apache-2.0
// What a pipeline gathered, on its way to apply: a word for every vertex, identity where the pipeline has no part of a
// partition. Parts lie in memory as its descriptors say (sub_partition.h), in which partitions ascend, each a multiple
// of whole words long.
#pragma once

#include "hls/module/one_bank.h"
#include "hls/module/sub_partition.h"

namespace gaspipe {

constexpr int kMostParts = 14;  // pipelines

// Words of identity, then those of a part.
struct PartToken {
  std::uint32_t num_identity, first_word, num_words;
};

// A token for every descriptor, and one for what is behind the last.
template <class Value>
void readParts(const Word<std::uint32_t>* sub_partitions, std::uint32_t num_sub_partitions, VertexId num_vertices,
               stream<PartToken>& out) {
  GASPIPE_PORT(Read, port, sub_partitions);
  PartToken part;
  std::uint32_t at = 0;  // words before
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    GASPIPE_WORD(port, s, num_sub_partitions);
    const Word<std::uint32_t> descriptor = sub_partitions[s];
    const std::uint32_t first = descriptor.lane[SubPartitionLane::kFirstVertex] / Word<Value>::kSize;
    const std::uint32_t last = words_of_vertices<Value>(descriptor.lane[SubPartitionLane::kLastVertex]);
    part.num_identity = first - at;
    part.first_word = descriptor.lane[SubPartitionLane::kFirstGatheredWord];
    part.num_words = last - first;
    at = last;
    write_to_stream(out, part);
  }
  part.num_identity = words_of_vertices<Value>(num_vertices) - at;
  part.first_word = part.num_words = 0;
  write_to_stream(out, part);
}

template <class Hooks>
void sendParts(std::uint32_t num_sub_partitions, const Word<typename Traits<Hooks>::Update>* gathered,
               stream<PartToken>& in, stream<Word<typename Traits<Hooks>::Update>>& out) {
  using Value = typename Traits<Hooks>::Update;
  GASPIPE_PORT(Read, port, gathered);
  Word<Value> identity;
  for (int i = 0; i < Word<Value>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    identity.lane[i] = Traits<Hooks>::identity();
  }
  for (std::uint32_t s = 0; s < num_sub_partitions + 1; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    PartToken part;
    read_from_stream(in, part);
    for (std::uint32_t i = 0; i < part.num_identity; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 1048576);
      write_to_stream(out, identity);
    }
    const std::uint32_t last = part.first_word + part.num_words;
    for (std::uint32_t i = part.first_word; i < last; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 16384);
      GASPIPE_WORD(port, i, last);
      write_to_stream(out, gathered[i]);
    }
  }
}

}  // namespace gaspipe
