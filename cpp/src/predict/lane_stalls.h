// SPDX-License-Identifier: Apache-2.0
// How long the lanes of a dense pipeline hold updates back that their gather cannot merge within a cycle, as of
// floating-point numbers (hls/module/raw_stall.h): an update of a row waits for the lane's last one of that row, and
// the others of its lane behind it. A word of edges comes when all lanes have room for theirs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "hls/kernel/gather_scatter.h"

namespace gaspipe {
namespace predict {

class LaneStalls {
 public:
  static constexpr int kMostApart = 16;  // as many updates of a lane are looked at

  // `apart`: cycles, at the least, between two updates of a row; at most kMostApart.
  explicit LaneStalls(int apart) : apart_(apart) {}

  // The update of a lane, of `row`, in the word that comes in cycle `at`.
  void add(std::size_t in_lane, std::uint32_t row, double at) {
    Lane& lane = lanes_[in_lane];
    double taken = std::max(at, lane.taken + 1);
    for (const Update& update : lane.recent) {
      if (update.row == row) taken = std::max(taken, update.taken + apart_);
    }
    lane.taken = taken;
    lane.recent[lane.oldest] = {row, taken};
    lane.oldest = (lane.oldest + 1) % kMostApart;
    lane.leaves[word_ % kLinkDepth] = taken;
  }
  // When the next word can come, at `at` at the earliest.
  double end_word(double at) {
    ++word_;
    for (const Lane& lane : lanes_) at = std::max(at, lane.leaves[word_ % kLinkDepth]);
    return at;
  }

 private:
  static constexpr std::size_t kLanes = 16;
  struct Update {
    std::uint32_t row = 0;
    double taken = -kMostApart;  // none
  };
  struct Lane {
    double taken = -1;
    std::size_t oldest = 0;
    std::array<Update, kMostApart> recent;
    std::array<double, kLinkDepth> leaves = {};  // of the last words
  };

  int apart_;
  std::size_t word_ = 0;
  std::array<Lane, kLanes> lanes_;
};

}  // namespace predict
}  // namespace gaspipe
