// SPDX-License-Identifier: Apache-2.0
// elem_update (ElemUpdate): new values of vertices, written into their lines of memory; the other lanes stay. Three
// tasks, around a memory unit that reads and one that writes the same array:
//
//   --> elem_update_coalesce --> elem_update_req --lines to read--> [memory] --> elem_update --lines--> [memory] --+
//                                     ^                                                                   acks     |
//                                     +----------------------------------------------------------------------------+
//
// A line must not be read again before it has been written: another update of the line could read it as it was and
// write it back so. Therefore elem_update_req keeps the lines whose writes memory has not acknowledged, at most
// `pending`, and holds an entry back while its line is among them. A read of a line is sent after the acknowledgement
// of every write to it, so that it gets what the last of them wrote; entries leave elem_update_req, and are written, in
// order, so writes to a line are in order too. That is all that can happen to a line.
//
// The stream of acknowledgements is the chain's one way back. At most `pending` entries are under way, and each is
// acknowledged once: with a place for each (`pending` is the least depth) the unit that writes never waits for that
// stream, and as nothing else on the way waits for elem_update_req, no entry it waits for can be held up by it.
//
// `Policy` is a struct of functions:
//
//   static constexpr bool kReadsOld        false: a new value does not depend on the old one, and a line of which all
//                                          lanes are new is not read
//   static P merge(P first, P second)      two new values for one vertex
//   static P update(P old, P value)        what the vertex then has; a line of which nothing changes is not written
#pragma once

#include "hls/block/coalescer.h"
#include "hls/block/types.h"
#include "hls/stream.h"

namespace gaspipe {
namespace block {

constexpr int kPendingLines = 32;

// The last value wins.
template <class P>
struct Overwrite {
  static constexpr bool kReadsOld = false;
  static P merge(P /*first*/, P second) { return second; }
  static P update(P /*old*/, P value) { return value; }
};
// The smallest stays.
template <class P>
struct KeepLeast {
  static constexpr bool kReadsOld = true;
  static P merge(P first, P second) { return second < first ? second : first; }
  static P update(P old, P value) { return value < old ? value : old; }
};

// Whether an entry's line has to be read.
template <class P, class Policy>
bool needs_old(const LineUpdate<P>& entry) {
  GASPIPE_PRAGMA(HLS INLINE);
  return Policy::kReadsOld || entry.lanes != all_lanes<P>();
}
template <class P>
MemReq lines_of_entry(const LineUpdate<P>& entry) {
  GASPIPE_PRAGMA(HLS INLINE);
  MemReq request;
  request.first = entry.line;
  request.num = 1;
  request.end = false;
  return request;
}
// Puts an entry's values into its line; returns the lanes that changed. Of a line that was not read all do.
template <class P, class Policy>
std::uint32_t update_line(const LineUpdate<P>& entry, bool has_old, Line<P>& line) {
  GASPIPE_PRAGMA(HLS INLINE);
  std::uint32_t changed = 0;
  for (int i = 0; i < Line<P>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    const P old = line.lane[i];
    const P value = Policy::update(old, entry.values.lane[i]);
    if ((entry.lanes >> i & 1u) != 0 && (!has_old || value != old)) {
      changed |= 1u << i;
      line.lane[i] = value;
    }
  }
  return changed;
}

// Updates to line updates, by a Coalescer.
template <class P, class Lines>
void elem_update_coalesce(stream<VertexProperty<P>>& in, stream<LineUpdate<P>>& out) {
  Lines lines;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = lines.entry_ complete);
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = lines.age_ complete);
  VertexProperty<P> update;
  update.end = false;
  LineUpdate<P> left;
  bool more = true;
  while (more) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (!update.end) read_from_stream(in, update);
    const bool leaves = update.end ? lines.pop(left) : lines.absorb(update.vertex, update.value, left);
    if (leaves) write_to_stream(out, left);
    more = !update.end || leaves;
  }
  left.end = true;
  write_to_stream(out, left);
}

// Lines whose writes are not acknowledged, in their order.
template <int most>
class PendingLines {
 public:
  bool is_full() const { return num_ == most; }
  bool is_empty() const { return num_ == 0; }
  // Whether a line is among them, and whether it is among those that are left after pop().
  void find(std::uint32_t line, bool& is_held, bool& is_held_after_pop) const {
    GASPIPE_PRAGMA(HLS INLINE);
    is_held = false;
    is_held_after_pop = false;
    for (int i = 0; i < most; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (is_open_[i] && line_[i] == line) {
        is_held = true;
        if (i != first_) is_held_after_pop = true;
      }
    }
  }
  void push(std::uint32_t line) {
    GASPIPE_PRAGMA(HLS INLINE);
    line_[next_] = line;
    is_open_[next_] = true;
    next_ = next_ + 1 == most ? 0 : next_ + 1;
    ++num_;
  }
  void pop() {
    GASPIPE_PRAGMA(HLS INLINE);
    is_open_[first_] = false;
    first_ = first_ + 1 == most ? 0 : first_ + 1;
    --num_;
  }

 private:
  std::uint32_t line_[most] = {};
  bool is_open_[most] = {};
  int first_ = 0, next_ = 0, num_ = 0;
};

// A cycle takes an acknowledgement where one is needed, and sends an entry on where it can.
template <class P, class Policy, int pending = kPendingLines>
void elem_update_req(stream<LineUpdate<P>>& in, stream<std::uint32_t>& acks, stream<MemReq>& reads,
                     stream<LineUpdate<P>>& out) {
  PendingLines<pending> lines;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = lines.line_ complete);
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = lines.is_open_ complete);
  LineUpdate<P> entry;
  entry.end = false;
  bool takes = true, more = true;
  while (more) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (takes) read_from_stream(in, entry);
    bool is_held, is_held_after_pop;
    lines.find(entry.line, is_held, is_held_after_pop);
    const bool waits = entry.end ? !lines.is_empty() : lines.is_full() || is_held;
    if (waits) {
      std::uint32_t number;
      read_from_stream(acks, number);
      lines.pop();
    }
    takes = entry.end ? lines.is_empty() : !(waits ? is_held_after_pop : is_held);
    if (takes && !entry.end) {
      lines.push(entry.line);
      if (needs_old<P, Policy>(entry)) write_to_stream(reads, lines_of_entry(entry));
      write_to_stream(out, entry);
    }
    more = !entry.end || !takes;
  }
  write_to_stream(reads, end_of_requests());
  write_to_stream(out, entry);
}

// Reads, overwrites and sends to be written. An entry that changes nothing is acknowledged as a write of no lines.
// `changed` gets the lanes that have another value now.
template <class P, class Policy>
void elem_update(stream<LineUpdate<P>>& in, stream<Line<P>>& old_lines, stream<MemReq>& writes,
                 stream<Line<P>>& new_lines, stream<GroupMask>& changed) {
  LineUpdate<P> entry;
  GroupMask group;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    read_from_stream(in, entry);
    if (entry.end) break;
    Line<P> line = {};
    const bool has_old = needs_old<P, Policy>(entry);
    if (has_old) read_from_stream(old_lines, line);
    group.lanes = update_line<P, Policy>(entry, has_old, line);
    group.line = entry.line;
    group.end = false;
    MemReq request = lines_of_entry(entry);
    request.num = group.lanes != 0 ? 1 : 0;
    write_to_stream(writes, request);
    if (group.lanes != 0) {
      write_to_stream(new_lines, line);
      write_to_stream(changed, group);
    }
  }
  write_to_stream(writes, end_of_requests());
  group.line = 0;
  group.lanes = 0;
  group.end = true;
  write_to_stream(changed, group);
}

// For chains that do not ask what has changed.
template <class P, class Policy>
void elem_update(stream<LineUpdate<P>>& in, stream<Line<P>>& old_lines, stream<MemReq>& writes,
                 stream<Line<P>>& new_lines) {
  LineUpdate<P> entry;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    read_from_stream(in, entry);
    if (entry.end) break;
    Line<P> line = {};
    const bool has_old = needs_old<P, Policy>(entry);
    if (has_old) read_from_stream(old_lines, line);
    MemReq request = lines_of_entry(entry);
    request.num = update_line<P, Policy>(entry, has_old, line) != 0 ? 1 : 0;
    write_to_stream(writes, request);
    if (request.num != 0) write_to_stream(new_lines, line);
  }
  write_to_stream(writes, end_of_requests());
}

}  // namespace block
}  // namespace gaspipe
