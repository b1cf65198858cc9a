// SPDX-License-Identifier: Apache-2.0
// Which distances are near: the kernel decides it between two phases, from the control words of the PEs.
//
// A phase reads and writes all cells, whatever it sends, so a bucket whose phases send fewer vertices than take as long
// as that is too narrow, and the next one is wider by a quarter. One of several phases that send many is too wide:
// vertices come nearer in it again and again, and the next one is half as wide.
#pragma once

#include "hls/local_store/length.h"

namespace gaspipe {

constexpr std::uint32_t kFewPhases = 2, kManyVertices = 4;  // of a bucket; in multiples of `balance`

template <class Number>
struct BucketControl {
  std::uint32_t limit, width;          // of the bucket at work
  std::uint32_t balance;               // vertices whose edges take as long as all cells
  std::uint32_t num_near, nearest;     // of all PEs
  std::uint32_t num_sent, num_phases;  // in the bucket

  void start(std::uint32_t last_limit, std::uint32_t first_width, std::uint32_t vertices) {
    GASPIPE_PRAGMA(HLS INLINE);
    limit = last_limit;
    width = first_width;
    balance = vertices;
    num_sent = num_phases = 0;
  }
  // A phase begins; take() the control word of every PE then, and advance.
  void begin() {
    GASPIPE_PRAGMA(HLS INLINE);
    num_near = 0;
    nearest = kNoDistance;
  }
  void take(const Word<std::uint64_t>& control) {
    GASPIPE_PRAGMA(HLS INLINE);
    num_near += static_cast<std::uint32_t>(control.lane[DistanceLane::kNumNear]);
    const auto least = static_cast<std::uint32_t>(control.lane[DistanceLane::kNearest]);
    if (least < nearest) nearest = least;
  }
  bool is_done() const {
    GASPIPE_PRAGMA(HLS INLINE);
    return num_near == 0 && nearest == kNoDistance;
  }
  // The limit stays while vertices wait below it; else there is a new bucket from the nearest on.
  void advance() {
    GASPIPE_PRAGMA(HLS INLINE);
    if (num_near == 0) {
      const std::uint64_t worth = std::uint64_t(balance) * num_phases;
      if (num_sent < worth) {
        width = Length<Number>::wider(width);
      } else if (num_phases > kFewPhases && num_sent > kManyVertices * worth) {
        width = Length<Number>::narrower(width);
      }
      limit = Length<Number>::limit(nearest, width);
      num_sent = num_phases = 0;
    }
    num_sent += num_near;
    ++num_phases;
  }
};

}  // namespace gaspipe
