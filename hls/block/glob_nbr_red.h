// SPDX-License-Identifier: Apache-2.0
// glob_nbr_red (GlobNbrRed): one reduction over the elements of all sets that a condition keeps: the best of them, with
// where it is, or a sum. Asked for by glob_nbr_red_req (set_req.h). `Op` is a struct with
//
//   static bool keep(P element, Args)
//   static std::uint64_t value(P element, Args)
//   static constexpr bool kSums             the sum of the values, and of how many; else the largest value
//
// Of equal values the first along the edges wins. Values are integers of 64 bits, so lines meet in a cycle.
#pragma once

#include "hls/block/set_cursor.h"
#include "hls/block/set_req.h"
#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

template <class T>
void glob_nbr_red_req(stream<SetMeta>& in, stream<MemReq>& requests, stream<SetMeta>& out) {
  GASPIPE_PRAGMA(HLS INLINE);
  set_req<T>(in, requests, out);
}

// An element, or what is left of several. `num`: how many elements were kept.
struct Winner {
  std::uint64_t value = 0, num = 0;
  EdgeCount edge = 0;
  VertexId owner = kNoVertex;  // none
};

template <bool sums>
Winner better(const Winner& first, const Winner& second) {
  GASPIPE_PRAGMA(HLS INLINE);
  const bool takes_second = second.num != 0 && (first.num == 0 || second.value > first.value);
  Winner winner = takes_second ? second : first;
  if (sums) winner.value = first.value + second.value;
  winner.num = first.num + second.num;
  return winner;
}

// A line's.
template <class Op, class P>
Winner winner_of_line(const Line<P>& line, const SetCursor<P>& cursor, const Args& args) {
  GASPIPE_PRAGMA(HLS INLINE);
  Winner lanes[Line<P>::kSize];
  for (int i = 0; i < Line<P>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    const bool kept = (cursor.lanes() >> i & 1u) != 0 && Op::keep(line.lane[i], args);
    if (kept) {
      lanes[i].value = Op::value(line.lane[i], args);
      lanes[i].num = 1;
      lanes[i].edge = cursor.element(static_cast<std::uint32_t>(i));
      lanes[i].owner = cursor.owner();
    }
  }
  for (int step = 0; step < 4; ++step) {
    GASPIPE_PRAGMA(HLS UNROLL);
    for (int i = 0; i < Line<P>::kSize / 2; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (i < Line<P>::kSize >> (step + 1)) lanes[i] = better<Op::kSums>(lanes[2 * i], lanes[2 * i + 1]);
    }
  }
  return lanes[0];
}

// Its last words: the value, how many elements were kept, the winner's edge and its owner (kNoVertex: nothing kept).
template <class P, class Op>
void glob_nbr_red(std::uint32_t arg_0, std::uint32_t arg_1, stream<SetMeta>& sets, stream<Line<P>>& lines,
                  stream<FinalWord>& value, stream<FinalWord>& num, stream<FinalWord>& edge, stream<FinalWord>& owner) {
  const Args args = {{arg_0, arg_1}};
  SetCursor<P> cursor;
  Winner winner;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (!cursor.has_line()) {
      SetMeta meta;
      read_from_stream(sets, meta);
      if (meta.end) break;
      cursor.start(meta);
    }
    Line<P> line;
    read_from_stream(lines, line);
    winner = better<Op::kSums>(winner, winner_of_line<Op>(line, cursor, args));
    cursor.next();
  }
  write_to_stream(value, FinalWord(winner.value));
  write_to_stream(num, FinalWord(winner.num));
  write_to_stream(edge, FinalWord(winner.edge));
  write_to_stream(owner, FinalWord(winner.owner));
}

}  // namespace block
}  // namespace gaspipe
