// SPDX-License-Identifier: Apache-2.0
// What pipelines gathered for partitions that not all of them had edges of. A word in memory describes a partition:
// where it begins and ends, and of every pipeline the first word of its part, or that it has none. Partitions follow
// each other from vertex 0 on, each a multiple of whole words long, so that what comes out of every pipeline's
// stream is one word after the other of all vertices, identity where it has no part.
#pragma once

#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

constexpr int kMostParts = 14;  // pipelines
constexpr std::uint32_t kNoPart = 0xffffffffu;

// Lanes of a descriptor; pipeline u's is kFirstPart + u.
struct PartitionLane {
  static constexpr int kFirstVertex = 0, kLastVertex = 1, kFirstPart = 2;
};

struct PartToken {
  std::uint32_t first_word, num_vertices;  // kNoPart: none
};

// To the first `units` of the streams: all of them in hardware.
template <int most>
void readParts(const Word<std::uint32_t>* parts, std::uint32_t num_partitions, int units,
               stream<PartToken> (&out)[most]) {
  static_assert(most <= kMostParts, "a word describes the parts of all pipelines");
  GASPIPE_PORT(Read, port, parts);
  for (std::uint32_t p = 0; p < num_partitions; ++p) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1024);
    GASPIPE_WORD(port, p, num_partitions);
    const Word<std::uint32_t> descriptor = parts[p];
    PartToken token;
    token.num_vertices = descriptor.lane[PartitionLane::kLastVertex] - descriptor.lane[PartitionLane::kFirstVertex];
    for (int unit = 0; unit < most; ++unit) {
      GASPIPE_PRAGMA(HLS UNROLL);
      token.first_word = descriptor.lane[PartitionLane::kFirstPart + unit];
      if (unit < units) write_to_stream(out[unit], token);
    }
  }
}

// A pipeline's parts, with identity in between.
template <class Hooks>
void readPart(std::uint32_t num_partitions, const Word<typename Traits<Hooks>::Update>* gathered, stream<PartToken>& in,
              stream<Word<typename Traits<Hooks>::Update>>& out) {
  using Value = typename Traits<Hooks>::Update;
  GASPIPE_PORT(Read, port, gathered);
  Word<Value> identity;
  for (int i = 0; i < Word<Value>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    identity.lane[i] = Traits<Hooks>::identity();
  }
  for (std::uint32_t p = 0; p < num_partitions; ++p) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1024);
    PartToken part;
    read_from_stream(in, part);
    const std::uint32_t num_words = (part.num_vertices + Word<Value>::kSize - 1) / Word<Value>::kSize;
    if (part.first_word == kNoPart) {
      for (std::uint32_t i = 0; i < num_words; ++i) {
        GASPIPE_PIPELINE(1);
        GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16384);
        write_to_stream(out, identity);
      }
    } else {
      const std::uint32_t last = part.first_word + num_words;
      for (std::uint32_t i = part.first_word; i < last; ++i) {
        GASPIPE_PIPELINE(1);
        GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16384);
        GASPIPE_WORD(port, i, last);
        write_to_stream(out, gathered[i]);
      }
    }
  }
}

}  // namespace gaspipe
