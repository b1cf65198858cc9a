// SPDX-License-Identifier: Apache-2.0
// nbr_prop_red (NbrPropRed): for every set, the reduction of its elements, of any number. `Op` is a struct of
// functions:
//
//   using Value                                    what is reduced
//   static Value identity()
//   static Value map(P element, Args)              of an element; (P element, W weight, Args) where there are weights
//   static Value combine(Value, Value)
//   static Value finish(Value, Args)               of a set's reduction (PageRank: base + damping * sum)
//   static constexpr int kCycles                   that combine takes: the loop's interval, for lines of a set meet
#pragma once

#include "hls/block/reduce.h"
#include "hls/block/set_cursor.h"
#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

// The reduction of a line's lanes that belong to the set.
template <class Op, class P>
typename Op::Value reduce_line(const Line<P>& line, std::uint32_t lanes, const Args& args) {
  GASPIPE_PRAGMA(HLS INLINE);
  typename Op::Value values[Line<P>::kSize];
  for (int i = 0; i < Line<P>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    values[i] = (lanes >> i & 1u) != 0 ? Op::map(line.lane[i], args) : Op::identity();
  }
  return reduce_lanes<Op>(values);
}
template <class Op, class P, class W>
typename Op::Value reduce_line(const Line<P>& line, const Line<W>& weights, std::uint32_t lanes, const Args& args) {
  GASPIPE_PRAGMA(HLS INLINE);
  static_assert(sizeof(P) == sizeof(W), "a line of weights is that of as many elements");
  typename Op::Value values[Line<P>::kSize];
  for (int i = 0; i < Line<P>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    values[i] = (lanes >> i & 1u) != 0 ? Op::map(line.lane[i], weights.lane[i], args) : Op::identity();
  }
  return reduce_lanes<Op>(values);
}

// A set in progress: takes a line's reduction.
template <class Op, class P>
struct SetReduction {
  using Value = typename Op::Value;
  SetCursor<P> cursor;
  Value sum;

  bool take(const Value& of_line, const Args& args, VertexProperty<Value>& result) {
    GASPIPE_PRAGMA(HLS INLINE);
    const Value before = cursor.is_first() ? Op::identity() : sum;
    sum = Op::combine(before, of_line);
    const bool is_last = cursor.is_last();
    result.vertex = cursor.owner();
    result.value = Op::finish(sum, args);
    result.end = false;
    cursor.next();
    return is_last;
  }
};

// A line every Op::kCycles.
template <class P, class Op>
void nbr_prop_red(std::uint32_t arg_0, std::uint32_t arg_1, stream<SetMeta>& sets, stream<Line<P>>& lines,
                  stream<VertexProperty<typename Op::Value>>& out) {
  const Args args = {{arg_0, arg_1}};
  SetReduction<Op, P> set;
  VertexProperty<typename Op::Value> result;
  SetMeta meta;
  while (true) {
    GASPIPE_PIPELINE(Op::kCycles);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (!set.cursor.has_line()) {
      read_from_stream(sets, meta);
      if (meta.end) break;
      set.cursor.start(meta);
    }
    Line<P> line;
    read_from_stream(lines, line);
    if (set.take(reduce_line<Op>(line, set.cursor.lanes(), args), args, result)) write_to_stream(out, result);
  }
  result.vertex = kNoVertex;
  result.value = Op::identity();
  result.end = true;
  write_to_stream(out, result);
}

// Elements with their edges' weights.
template <class P, class W, class Op>
void nbr_prop_red(std::uint32_t arg_0, std::uint32_t arg_1, stream<SetMeta>& sets, stream<Line<P>>& lines,
                  stream<Line<W>>& weights, stream<VertexProperty<typename Op::Value>>& out) {
  const Args args = {{arg_0, arg_1}};
  SetReduction<Op, P> set;
  VertexProperty<typename Op::Value> result;
  SetMeta meta;
  while (true) {
    GASPIPE_PIPELINE(Op::kCycles);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (!set.cursor.has_line()) {
      read_from_stream(sets, meta);
      if (meta.end) break;
      set.cursor.start(meta);
    }
    Line<P> line;
    Line<W> weight;
    read_from_stream(lines, line);
    read_from_stream(weights, weight);
    if (set.take(reduce_line<Op>(line, weight, set.cursor.lanes(), args), args, result)) write_to_stream(out, result);
  }
  result.vertex = kNoVertex;
  result.value = Op::identity();
  result.end = true;
  write_to_stream(out, result);
}

}  // namespace block
}  // namespace gaspipe
