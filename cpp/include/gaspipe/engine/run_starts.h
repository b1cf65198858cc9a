// SPDX-License-Identifier: Apache-2.0
// Which edges of a sub-partition start a run, a bit for each: a first super-step finds out by the lengths of runs, each
// waiting for the one before, and later ones read it, so that a block's sources are fetched in a plain loop.
#pragma once

#include <cstdint>
#include <cstring>

#include "gaspipe/abi.h"
#include "gaspipe/engine/block.h"
#include "hls/vertex.h"

namespace gaspipe {
namespace engine {

// What 8 bits say, a byte for each, and how many are set.
struct SpreadBits {
  std::uint8_t bytes[256][8] = {};
  std::uint8_t counts[256] = {};

  constexpr SpreadBits() {
    for (int bits = 0; bits < 256; ++bits) {
      for (int k = 0; k < 8; ++k) {
        bytes[bits][k] = bits >> k & 1;
        counts[bits] = static_cast<std::uint8_t>(counts[bits] + bytes[bits][k]);
      }
    }
  }
};
inline constexpr SpreadBits kSpreadBits;

class RunStarts {
 public:
  // Blocks of `block_edges`, a multiple of 64, but for the last one.
  RunStarts(EdgeCount num_edges, std::uint32_t block_edges)
      : bits_(make_block<std::uint8_t>((num_edges + block_edges - 1) / block_edges * (block_edges / 8))) {}

  bool are_known() const { return are_known_; }
  // Before every super-step.
  void begin() { at_ = bits_.get(), starts_next_ = false; }
  // After every super-step that came to its end.
  void end() { are_known_ = true; }

  // Notes the next block: a byte of 0 or 1 for each of `size` edges; the first edge's is 0, whether its run starts with
  // it was said with the block before. `ends`: whether the last edge ends its run.
  void add(std::uint32_t size, std::uint8_t* is_start, bool ends) {
    is_start[0] = starts_next_;
    starts_next_ = ends;
    std::uint32_t i = 0;
    for (; i + 8 <= size; i += 8) *at_++ = packed(is_start + i);
    if (i < size) {
      std::uint8_t rest[8] = {};
      std::memcpy(rest, is_start + i, size - i);
      *at_++ = packed(rest);
    }
    is_start[0] = 0;
  }
  // The next block as it was noted, up to 7 bytes more; returns how many runs start in it past its first edge. `run`
  // becomes that of the first edge, from that of the last edge before.
  std::uint32_t read(std::uint32_t size, std::uint8_t* is_start, std::uint64_t& run) {
    std::uint32_t num_starts = 0;
    for (std::uint32_t i = 0; i < size; i += 8) {
      const std::uint8_t bits = *at_++;
      std::memcpy(is_start + i, kSpreadBits.bytes[bits], 8);
      num_starts += kSpreadBits.counts[bits];
    }
    run += is_start[0];
    num_starts -= is_start[0];
    is_start[0] = 0;
    return num_starts;
  }

 private:
  static std::uint8_t packed(const std::uint8_t* bytes) {
    std::uint8_t bits = 0;
    for (int k = 0; k < 8; ++k) bits = static_cast<std::uint8_t>(bits | bytes[k] << k);
    return bits;
  }

  Block<std::uint8_t> bits_;
  std::uint8_t* at_ = nullptr;
  bool are_known_ = false;
  bool starts_next_ = false;  // while they are noted
};

}  // namespace engine
}  // namespace gaspipe
