// SPDX-License-Identifier: Apache-2.0
// nbr_prop_filter (NbrPropFilter): the elements of sets that a predicate keeps, each with its owner, its neighbor and
// the value that the predicate gives it. What the sets have in arrays is asked for by nbr_prop_filter_req (set_req.h),
// one per array. `Filter` is a struct with
//
//   using Value
//   static bool keep(P element, Args, Value& value)
//   static bool keep(P owner, P element, W weight, Args, Value& value)     with the owner's property and weights
//
// A line takes a cycle, or one for each of its hits if those are more. GraphOps has a queue per lane and an arbiter for
// that; here a line stays until its hits are sent, lowest lane first, so that their order depends on no timing.
#pragma once

#include "hls/block/set_cursor.h"
#include "hls/block/set_req.h"
#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

template <class T>
void nbr_prop_filter_req(stream<SetMeta>& in, stream<MemReq>& requests, stream<SetMeta>& out) {
  GASPIPE_PRAGMA(HLS INLINE);
  set_req<T>(in, requests, out);
}

// The lanes of a line that are kept, and their values.
template <class Filter, class P>
std::uint32_t kept_lanes(const Line<P>& line, std::uint32_t lanes, const Args& args,
                         typename Filter::Value (&values)[Line<P>::kSize]) {
  GASPIPE_PRAGMA(HLS INLINE);
  std::uint32_t kept = 0;
  for (int i = 0; i < Line<P>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    values[i] = typename Filter::Value();
    if (Filter::keep(line.lane[i], args, values[i]) && (lanes >> i & 1u) != 0) kept |= 1u << i;
  }
  return kept;
}
template <class Filter, class P, class W>
std::uint32_t kept_lanes(const P& owner, const Line<P>& line, const Line<W>& weights, std::uint32_t lanes,
                         const Args& args, typename Filter::Value (&values)[Line<P>::kSize]) {
  GASPIPE_PRAGMA(HLS INLINE);
  static_assert(sizeof(P) == sizeof(W), "a line of weights is that of as many elements");
  std::uint32_t kept = 0;
  for (int i = 0; i < Line<P>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    values[i] = typename Filter::Value();
    if (Filter::keep(owner, line.lane[i], weights.lane[i], args, values[i]) && (lanes >> i & 1u) != 0) kept |= 1u << i;
  }
  return kept;
}

// Lines of neighbors, of which a line of properties has as many or half as many elements.
template <class P>
struct NeighborLines {
  static constexpr int kSize = Line<P>::kSize;
  Line<VertexId> line;

  // For the cursor's line: whether the next line of neighbors is needed.
  bool needs_line(const SetCursor<P>& cursor) const {
    return kSize == Line<VertexId>::kSize || cursor.is_first() || cursor.element(0) % Line<VertexId>::kSize == 0;
  }
  VertexId at(const SetCursor<P>& cursor, std::uint32_t lane) const {
    GASPIPE_PRAGMA(HLS INLINE);
    return line.lane[cursor.element(lane) % Line<VertexId>::kSize];
  }
};

// The hits of a line that are still to be sent.
template <class Value, int num>
struct HitsLeft {
  std::uint32_t lanes = 0;
  Value values[num];
  VertexId neighbors[num];
  VertexId owner;

  void take(VertexId set_owner, std::uint32_t kept, const VertexId (&ids)[num]) {
    GASPIPE_PRAGMA(HLS INLINE);
    owner = set_owner;
    lanes = kept;
    for (int i = 0; i < num; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      neighbors[i] = ids[i];
    }
  }
  Hit<Value> next() {
    GASPIPE_PRAGMA(HLS INLINE);
    const std::uint32_t lane = lowest_lane(lanes);
    Hit<Value> hit;
    hit.owner = owner;
    hit.neighbor = neighbors[lane % num];
    hit.value = values[lane % num];
    hit.end = false;
    lanes &= lanes - 1;
    return hit;
  }
};

template <class P>
void neighbors_of(const NeighborLines<P>& lines, const SetCursor<P>& cursor, VertexId (&ids)[Line<P>::kSize]) {
  GASPIPE_PRAGMA(HLS INLINE);
  for (int i = 0; i < Line<P>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    ids[i] = lines.at(cursor, static_cast<std::uint32_t>(i));
  }
}

template <class Value>
Hit<Value> end_of_hits() {
  GASPIPE_PRAGMA(HLS INLINE);
  Hit<Value> hit;
  hit.owner = kNoVertex;
  hit.neighbor = kNoVertex;
  hit.value = Value();
  hit.end = true;
  return hit;
}

// Sets, lines of their neighbors and of what the neighbors have.
template <class P, class Filter>
void nbr_prop_filter(std::uint32_t arg_0, std::uint32_t arg_1, stream<SetMeta>& sets, stream<Line<VertexId>>& neighbors,
                     stream<Line<P>>& properties, stream<Hit<typename Filter::Value>>& out) {
  const Args args = {{arg_0, arg_1}};
  SetCursor<P> cursor;
  NeighborLines<P> targets;
  HitsLeft<typename Filter::Value, Line<P>::kSize> hits;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (hits.lanes == 0) {
      if (!cursor.has_line()) {
        SetMeta meta;
        read_from_stream(sets, meta);
        if (meta.end) break;
        cursor.start(meta);
      }
      Line<P> line;
      if (targets.needs_line(cursor)) read_from_stream(neighbors, targets.line);
      read_from_stream(properties, line);
      VertexId ids[Line<P>::kSize];
      neighbors_of(targets, cursor, ids);
      hits.take(cursor.owner(), kept_lanes<Filter>(line, cursor.lanes(), args, hits.values), ids);
      cursor.next();
    }
    if (hits.lanes != 0) write_to_stream(out, hits.next());
  }
  write_to_stream(out, end_of_hits<typename Filter::Value>());
}

// Likewise with weights, and for every set the line that has its owner's property (owner_req).
template <class P, class W, class Filter>
void nbr_prop_filter(std::uint32_t arg_0, std::uint32_t arg_1, stream<SetMeta>& sets, stream<Line<P>>& owners,
                     stream<Line<VertexId>>& neighbors, stream<Line<P>>& properties, stream<Line<W>>& weights,
                     stream<Hit<typename Filter::Value>>& out) {
  const Args args = {{arg_0, arg_1}};
  SetCursor<P> cursor;
  NeighborLines<P> targets;
  HitsLeft<typename Filter::Value, Line<P>::kSize> hits;
  Line<P> owner;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (hits.lanes == 0) {
      if (!cursor.has_line()) {
        SetMeta meta;
        read_from_stream(sets, meta);
        if (meta.end) break;
        cursor.start(meta);
        read_from_stream(owners, owner);
      }
      Line<P> line;
      Line<W> weight;
      if (targets.needs_line(cursor)) read_from_stream(neighbors, targets.line);
      read_from_stream(properties, line);
      read_from_stream(weights, weight);
      VertexId ids[Line<P>::kSize];
      neighbors_of(targets, cursor, ids);
      const P of_owner = owner.lane[cursor.owner() % Line<P>::kSize];
      hits.take(cursor.owner(), kept_lanes<Filter>(of_owner, line, weight, cursor.lanes(), args, hits.values), ids);
      cursor.next();
    }
    if (hits.lanes != 0) write_to_stream(out, hits.next());
  }
  write_to_stream(out, end_of_hits<typename Filter::Value>());
}

// Hits as updates of their neighbors, for elem_update.
template <class Value>
void to_updates(stream<Hit<Value>>& in, stream<VertexProperty<Value>>& out) {
  Hit<Value> hit;
  hit.end = false;
  while (!hit.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    read_from_stream(in, hit);
    VertexProperty<Value> update;
    update.vertex = hit.neighbor;
    update.value = hit.value;
    update.end = hit.end;
    write_to_stream(out, update);
  }
}

}  // namespace block
}  // namespace gaspipe
