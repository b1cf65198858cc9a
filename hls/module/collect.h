// SPDX-License-Identifier: Apache-2.0
// The values of the PEs become words of memory: lane l of word w is vertex first + w * kSize + l, which PE
// (vertex % pes) has. A cycle takes as many values as a row of PEs or a word has, whichever is less.
#pragma once

#include "hls/module/gather.h"
#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

// Words of vertices [first, last), the last one filled up with identity (as the PEs have it there), and an end token.
template <class T, int pes>
void collect(VertexId first, VertexId last, stream<T> (&in)[pes], stream<WordToken<T>>& out) {
  constexpr int kSize = Word<T>::kSize;
  constexpr int kStep = kSize < pes ? kSize : pes;  // values of a cycle
  const std::uint32_t num_values = values_per_pe<T, pes>(first, last) * pes;
  const std::uint32_t num_vertices = last - first;
  WordToken<T> token;
  token.end = false;
  for (std::uint32_t at = 0; at < num_values; at += kStep) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
    const int group = static_cast<int>(at % kSize) / kStep, from = static_cast<int>(at % pes) / kStep;
    for (int pe = 0; pe < pes; ++pe) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (pe / kStep == from) {
        T value;
        read_from_stream(in[pe], value);
        for (int g = 0; g < kSize / kStep; ++g) {
          GASPIPE_PRAGMA(HLS UNROLL);
          if (g == group) token.word.lane[g * kStep + pe % kStep] = value;
        }
      }
    }
    // A row of PEs may be longer than what is left.
    if (group == kSize / kStep - 1 && at + kStep - kSize < num_vertices) write_to_stream(out, token);
  }
  token.end = true;
  write_to_stream(out, token);
}

}  // namespace gaspipe
