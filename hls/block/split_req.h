// SPDX-License-Identifier: Apache-2.0
// split_req: requests in pieces that a bus takes, of at most `most` lines, none across a border of `border` lines
// (AXI: 256 beats, 4 KB). GraphOps' MemUnitSM, which splits at 255 bursts.
#pragma once

#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

constexpr std::uint32_t kBurstLines = 64;  // 4 KB

// Takes a piece off the front of a request, which must not be empty.
template <std::uint32_t most, std::uint32_t border>
MemReq take_piece(MemReq& request) {
  GASPIPE_PRAGMA(HLS INLINE);
  static_assert(most > 0 && border > 0, "a piece has a line at least");
  const std::uint64_t to_border = border - request.first % border;
  const std::uint64_t room = to_border < most ? to_border : std::uint64_t(most);
  MemReq piece = request;
  piece.num = request.num < room ? request.num : room;
  request.first += piece.num;
  request.num -= piece.num;
  return piece;
}

// A piece a cycle.
template <std::uint32_t most = kBurstLines, std::uint32_t border = kBurstLines>
void split_req(stream<MemReq>& in, stream<MemReq>& out) {
  MemReq request;
  request.num = 0;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
    if (request.num == 0) {
      read_from_stream(in, request);
      if (request.end) break;
    }
    if (request.num != 0) write_to_stream(out, take_piece<most, border>(request));
  }
  write_to_stream(out, request);
}

}  // namespace block
}  // namespace gaspipe
