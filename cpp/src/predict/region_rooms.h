// SPDX-License-Identifier: Apache-2.0
// What is left of a board's regions while kernels are placed, each within one region.
#pragma once

#include <vector>

#include "hls/device/board.h"

namespace gaspipe {
namespace predict {

class RegionRooms {
 public:
  // `usable`: share of the blocks of URAM and BRAM that may be taken; of LUTs, of which more are estimated than a
  // vendor's tool would take, all may be.
  RegionRooms(const Board& board, double usable) {
    for (int i = 0; i < board.num_slrs; ++i) {
      const Slr& slr = board.slr[i];
      left_.push_back({static_cast<int>(usable * slr.num_uram), static_cast<int>(usable * slr.num_bram), slr.num_luts});
      has_luts_.push_back(slr.num_luts > 0);
    }
  }

  // Takes it from the region with room for it that has most URAM left; false if there is none. A region whose LUTs are
  // unknown has room.
  bool take(const Slr& needed) {
    Slr* most = nullptr;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      Slr& slr = left_[i];
      const bool has_room = slr.num_uram >= needed.num_uram && slr.num_bram >= needed.num_bram &&
                            (!has_luts_[i] || slr.num_luts >= needed.num_luts);
      if (has_room && (most == nullptr || slr.num_uram > most->num_uram)) most = &slr;
    }
    if (most == nullptr) return false;
    *most = {most->num_uram - needed.num_uram, most->num_bram - needed.num_bram, most->num_luts - needed.num_luts};
    return true;
  }

 private:
  std::vector<Slr> left_;
  std::vector<bool> has_luts_;
};

}  // namespace predict
}  // namespace gaspipe
