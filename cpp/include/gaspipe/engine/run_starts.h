// SPDX-License-Identifier: Apache-2.0
// Which edges of a sub-partition start a run, a bit for each. The end of a short run is mispredicted each time, so a
// loop over edges takes the number of its run from these bits, 8 edges at a time, and has no branch.
#pragma once

#include <cstdint>
#include <vector>

#include "gaspipe/abi.h"
#include "hls/vertex.h"

namespace gaspipe {
namespace engine {

// What 8 bits say: how many of bits 0 to k are set.
struct StartsUpTo {
  std::uint8_t counts[256][8] = {};

  constexpr StartsUpTo() {
    for (int bits = 0; bits < 256; ++bits) {
      int count = 0;
      for (int k = 0; k < 8; ++k) {
        count += bits >> k & 1;
        counts[bits][k] = static_cast<std::uint8_t>(count);
      }
    }
  }
};
inline constexpr StartsUpTo kStartsUpTo;

class RunStarts {
 public:
  // Those of `edges`, a part of `part`. Its first edge starts none: it is in the run that the part begins with.
  void note(const abi::Partition& part, const abi::SubPartition& edges) {
    const EdgeCount size = edges.last_edge - edges.first_edge;
    bits_.assign((size + 7) / 8, 0);
    if (size == 0) return;
    const std::uint32_t* length = part.run_lengths + edges.first_run;
    for (EdgeCount at = *length - edges.skip; at < size; at += *++length) {
      bits_[at / 8] = static_cast<std::uint8_t>(bits_[at / 8] | 1 << at % 8);
    }
  }

  // The bit of edge i, counted in the sub-partition, is bit i % 8 of byte i / 8; those past the last edge are clear.
  const std::uint8_t* bits() const { return bits_.data(); }

  // How many of the runs start in the 8 * num_bytes edges from `bits` on.
  static std::uint32_t count(const std::uint8_t* bits, std::uint32_t num_bytes) {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < num_bytes; ++i) count += kStartsUpTo.counts[bits[i]][7];
    return count;
  }

 private:
  std::vector<std::uint8_t> bits_;
};

}  // namespace engine
}  // namespace gaspipe
