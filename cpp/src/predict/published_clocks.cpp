// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/boards.h"
#include "hls/thundergp/clocks.h"

namespace gaspipe {

Clocks published_clocks(const std::string& board) {
  Clocks found;
  for (const thundergp::PublishedClock& clock : thundergp::kClocks) {
    if (board == clock.board) found.emplace_back(clock.algorithm, clock.mhz);
  }
  return found;
}

}  // namespace gaspipe
