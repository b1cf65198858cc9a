// SPDX-License-Identifier: Apache-2.0
// Hits of a search, marked in a bitmap on the chip. In a wide level of a search most edges lead to vertices that
// another edge has found in the same level already, which the properties along the edges, those before the level, do
// not tell; and the vertices of a line of properties are found one by one. So the kernel marks what is hit, and when
// all sets have been read, every line that has a marked vertex is updated once:
//
//   nbr_prop_filter_lines --> spread_hits --> watch_hits --> mark_hits --> found_lines --> elem_update_req
//
// It is for searches whose hits all have the same value, as in a level of a breadth-first search. Hits go kHitWays at a
// time, in banks by vertex modulo kHitWays. Vertices from `capacity` on have no bit; their hits go around the bitmap:
//
//   mark_hits --> hit_updates --> elem_update_coalesce --> found_lines
//
// GraphOps keeps nothing on the chip between two edges: there each hit that the coalescer does not merge reads a line
// of properties.
#pragma once

#include "hls/block/elem_update.h"
#include "hls/block/nbr_prop_filter.h"
#include "hls/module/mark_window.h"

namespace gaspipe {
namespace block {

constexpr int kHitWays = 8;
constexpr VertexId kFoundCapacity = 1 << 24;  // 64 blocks of UltraRAM
constexpr std::uint32_t kHitsPerWord = 64;    // of a bank of the bitmap
constexpr VertexId kVerticesPerRow = kHitWays * kHitsPerWord;

// Hits of one owner, at most one of each bank. Bit w of `lanes`: there is one in bank w. `held`: of the words that the
// bitmap's loop has in registers (mark_window.h), by bank.
template <class Value>
struct HitGroup {
  VertexId owner, neighbor[kHitWays];
  Value value[kHitWays];
  std::uint8_t held[kHitWays];
  std::uint32_t lanes;
  bool end;
};

// The hits of a line: those of every bank, by the lanes that they are in.
template <class Value, int num>
struct HitLine {
  VertexId owner, neighbors[num];
  Value values[num];
  std::uint32_t lanes[kHitWays];
  bool end;

  bool is_empty() const {
    GASPIPE_PRAGMA(HLS INLINE);
    std::uint32_t all = 0;
    for (int w = 0; w < kHitWays; ++w) {
      GASPIPE_PRAGMA(HLS UNROLL);
      all |= lanes[w];
    }
    return all == 0;
  }
  // Sets the lanes, of those that are kept.
  void take(std::uint32_t kept) {
    GASPIPE_PRAGMA(HLS INLINE);
    for (int w = 0; w < kHitWays; ++w) {
      GASPIPE_PRAGMA(HLS UNROLL);
      lanes[w] = 0;
      for (int i = 0; i < num; ++i) {
        GASPIPE_PRAGMA(HLS UNROLL);
        if ((kept >> i & 1u) != 0 && neighbors[i] % kHitWays == static_cast<VertexId>(w)) lanes[w] |= 1u << i;
      }
    }
  }
  // Takes the lowest lane of every bank.
  HitGroup<Value> next() {
    GASPIPE_PRAGMA(HLS INLINE);
    HitGroup<Value> group;
    group.owner = owner;
    group.lanes = 0;
    group.end = false;
    for (int w = 0; w < kHitWays; ++w) {
      GASPIPE_PRAGMA(HLS UNROLL);
      const std::uint32_t lane = lowest_lane(lanes[w]);
      group.neighbor[w] = neighbors[lane % num];
      group.value[w] = values[lane % num];
      group.held[w] = 0;
      if (lanes[w] != 0) group.lanes |= 1u << w;
      lanes[w] &= lanes[w] - 1;
    }
    return group;
  }
};

template <class Value>
HitGroup<Value> end_of_groups() {
  GASPIPE_PRAGMA(HLS INLINE);
  HitGroup<Value> group;
  group.owner = kNoVertex;
  for (int w = 0; w < kHitWays; ++w) {
    GASPIPE_PRAGMA(HLS UNROLL);
    group.neighbor[w] = kNoVertex;
    group.value[w] = Value();
    group.held[w] = 0;
  }
  group.lanes = 0;
  group.end = true;
  return group;
}

// As nbr_prop_filter, for lines with hits. A line takes a cycle.
template <class P, class Filter>
void nbr_prop_filter_lines(std::uint32_t arg_0, std::uint32_t arg_1, stream<SetMeta>& sets,
                           stream<Line<VertexId>>& neighbors, stream<Line<P>>& properties,
                           stream<HitLine<typename Filter::Value, Line<P>::kSize>>& out) {
  const Args args = {{arg_0, arg_1}};
  SetCursor<P> cursor;
  NeighborLines<P> targets;
  HitLine<typename Filter::Value, Line<P>::kSize> hits;
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
    if (targets.needs_line(cursor)) read_from_stream(neighbors, targets.line);
    read_from_stream(properties, line);
    hits.owner = cursor.owner();
    hits.end = false;
    neighbors_of(targets, cursor, hits.neighbors);
    hits.take(kept_lanes<Filter>(line, cursor.lanes(), args, hits.values));
    if (!hits.is_empty()) write_to_stream(out, hits);
    cursor.next();
  }
  hits.end = true;
  write_to_stream(out, hits);
}

// Hits of lines in groups. A line takes as many cycles as the bank with most of its hits has hits.
template <class Value, int num>
void spread_hits(stream<HitLine<Value, num>>& in, stream<HitGroup<Value>>& out) {
  HitLine<Value, num> line;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = line.lanes complete);
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = line.values complete);
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = line.neighbors complete);
  line.take(0);
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (line.is_empty()) {
      read_from_stream(in, line);
      if (line.end) break;
    }
    write_to_stream(out, line.next());
  }
  write_to_stream(out, end_of_groups<Value>());
}

// Finds which words of the bitmap are in registers when their hits come.
template <class Value>
void watch_hits(stream<HitGroup<Value>>& in, stream<HitGroup<Value>>& out) {
  RowWindow windows[kHitWays];
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = windows complete);
  for (int w = 0; w < kHitWays; ++w) {
    GASPIPE_PRAGMA(HLS UNROLL);
    windows[w].start();
  }
  HitGroup<Value> group;
  group.end = false;
  while (!group.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    read_from_stream(in, group);
    for (int w = 0; w < kHitWays; ++w) {
      GASPIPE_PRAGMA(HLS UNROLL);
      const bool is_hit = (group.lanes >> w & 1u) != 0;
      group.held[w] = windows[w].take(is_hit ? group.neighbor[w] / kVerticesPerRow : kNoMarkRow);
    }
    write_to_stream(out, group);
  }
}

// A row of all banks with a vertex marked at least: bit i of word w is vertex kVerticesPerRow * row + kHitWays * i + w.
template <class Value>
struct FoundRow {
  std::uint32_t row;
  std::uint64_t word[kHitWays];
  Value value;
  bool end;
};

// Marks hits, of `num_vertices`. The hits of vertices without a bit go on at once; rows of the bitmap when all are
// here.
template <class Value, VertexId capacity>
void mark_hits(VertexId num_vertices, stream<HitGroup<Value>>& in, stream<HitGroup<Value>>& others,
               stream<FoundRow<Value>>& rows) {
  static_assert(capacity % kVerticesPerRow == 0, "whole words in all banks");
  constexpr std::uint32_t kRows = capacity / kVerticesPerRow;
  GASPIPE_ON_CHIP(std::uint64_t, found_a, kRows, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, found_b, kRows, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, found_c, kRows, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, found_d, kRows, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, found_e, kRows, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, found_f, kRows, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, found_g, kRows, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, found_h, kRows, URAM);
  const std::uint32_t needed = num_vertices / kVerticesPerRow + (num_vertices % kVerticesPerRow != 0 ? 1 : 0);
  const std::uint32_t num_rows = needed < kRows ? needed : kRows;
  for (std::uint32_t row = 0; row < num_rows; ++row) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 65536);
    found_a[row] = 0;
    found_b[row] = 0;
    found_c[row] = 0;
    found_d[row] = 0;
    found_e[row] = 0;
    found_f[row] = 0;
    found_g[row] = 0;
    found_h[row] = 0;
  }
  MarkWindow windows[kHitWays];
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = windows complete);
  for (int w = 0; w < kHitWays; ++w) {
    GASPIPE_PRAGMA(HLS UNROLL);
    windows[w].start();
  }
  HitGroup<Value> group;
  FoundRow<Value> token;
  group.end = false;
  token.value = Value();
  while (!group.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    // A row that was written within kMarkWindow iterations comes from the window.
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = found_a inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = found_b inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = found_c inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = found_d inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = found_e inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = found_f inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = found_g inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = found_h inter RAW true distance = kMarkWindow + 1);  // see above
    read_from_stream(in, group);
    std::uint32_t row[kHitWays], without = 0;
    std::uint64_t marked[kHitWays];
    bool has_bit[kHitWays];
    for (int w = 0; w < kHitWays; ++w) {
      GASPIPE_PRAGMA(HLS UNROLL);
      const bool is_hit = (group.lanes >> w & 1u) != 0;
      has_bit[w] = is_hit && group.neighbor[w] < capacity;
      row[w] = has_bit[w] ? group.neighbor[w] / kVerticesPerRow : 0;
      if (has_bit[w]) token.value = group.value[w];
      if (is_hit && !has_bit[w]) without |= 1u << w;
    }
    const std::uint64_t read[kHitWays] = {found_a[row[0]], found_b[row[1]], found_c[row[2]], found_d[row[3]],
                                          found_e[row[4]], found_f[row[5]], found_g[row[6]], found_h[row[7]]};
    GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = read complete);
    for (int w = 0; w < kHitWays; ++w) {
      GASPIPE_PRAGMA(HLS UNROLL);
      windows[w].mark(group.held[w], group.neighbor[w] / kHitWays % kHitsPerWord, read[w], marked[w]);
    }
    if (has_bit[0]) found_a[row[0]] = marked[0];
    if (has_bit[1]) found_b[row[1]] = marked[1];
    if (has_bit[2]) found_c[row[2]] = marked[2];
    if (has_bit[3]) found_d[row[3]] = marked[3];
    if (has_bit[4]) found_e[row[4]] = marked[4];
    if (has_bit[5]) found_f[row[5]] = marked[5];
    if (has_bit[6]) found_g[row[6]] = marked[6];
    if (has_bit[7]) found_h[row[7]] = marked[7];
    group.lanes = without;
    if (without != 0 || group.end) write_to_stream(others, group);
  }
  token.end = false;
  for (std::uint32_t at = 0; at < num_rows; ++at) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 65536);
    token.row = at;
    token.word[0] = found_a[at];
    token.word[1] = found_b[at];
    token.word[2] = found_c[at];
    token.word[3] = found_d[at];
    token.word[4] = found_e[at];
    token.word[5] = found_f[at];
    token.word[6] = found_g[at];
    token.word[7] = found_h[at];
    std::uint64_t any = 0;
    for (int w = 0; w < kHitWays; ++w) {
      GASPIPE_PRAGMA(HLS UNROLL);
      any |= token.word[w];
    }
    if (any != 0) write_to_stream(rows, token);
  }
  token.end = true;
  write_to_stream(rows, token);
}

// Hits as updates of their neighbors, one a cycle, for elem_update.
template <class Value>
void hit_updates(stream<HitGroup<Value>>& in, stream<VertexProperty<Value>>& out) {
  HitGroup<Value> group;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = group.neighbor complete);
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = group.value complete);
  group.lanes = 0;
  VertexProperty<Value> update;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (group.lanes == 0) {
      read_from_stream(in, group);
      if (group.end) break;
    }
    if (group.lanes != 0) {
      const std::uint32_t w = lowest_lane(group.lanes);
      update.vertex = group.neighbor[w % kHitWays];
      update.value = group.value[w % kHitWays];
      update.end = false;
      write_to_stream(out, update);
    }
    group.lanes &= group.lanes - 1;
  }
  update.vertex = kNoVertex;
  update.value = Value();
  update.end = true;
  write_to_stream(out, update);
}

// The lowest set bit's number; some number where none is set.
inline std::uint32_t lowest_line(std::uint64_t lines) {
  GASPIPE_PRAGMA(HLS INLINE);
  std::uint32_t line = 0;
  for (std::uint32_t part = 4; part-- > 0;) {
    GASPIPE_PRAGMA(HLS UNROLL);
    const std::uint32_t lanes = static_cast<std::uint32_t>(lines >> (16 * part)) & 0xffffu;
    if (lanes != 0) line = 16 * part + lowest_lane(lanes);
  }
  return line;
}

// The vertices of line `l` among those of a row of the bitmap, as lanes of P.
template <class P, class Value>
std::uint32_t lanes_of_row(const FoundRow<Value>& row, std::uint32_t l) {
  GASPIPE_PRAGMA(HLS INLINE);
  constexpr std::uint32_t kPerBank = Line<P>::kSize / kHitWays;
  std::uint32_t lanes = 0;
  for (std::uint32_t i = 0; i < kPerBank; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    for (std::uint32_t w = 0; w < kHitWays; ++w) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if ((row.word[w] >> (l * kPerBank + i) & 1u) != 0) lanes |= 1u << (i * kHitWays + w);
    }
  }
  return lanes;
}

// Updates of lines: those that come, then one for every line with a marked vertex, in order.
template <class P>
void found_lines(stream<LineUpdate<P>>& others, stream<FoundRow<P>>& rows, stream<LineUpdate<P>>& out) {
  constexpr std::uint32_t kLines = kVerticesPerRow / Line<P>::kSize;  // of a row
  static_assert(kLines <= 64, "a bit for each");
  LineUpdate<P> entry;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    read_from_stream(others, entry);
    if (entry.end) break;
    write_to_stream(out, entry);
  }
  FoundRow<P> row;
  std::uint64_t left = 0;  // lines of the row that are still to be sent
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
    if (left == 0) {
      read_from_stream(rows, row);
      if (row.end) break;
      for (std::uint32_t l = 0; l < kLines; ++l) {
        GASPIPE_PRAGMA(HLS UNROLL);
        if (lanes_of_row<P>(row, l) != 0) left |= std::uint64_t(1) << l;
      }
    }
    const std::uint32_t at = lowest_line(left);
    left &= left - 1;
    entry.line = row.row * kLines + at;
    entry.lanes = lanes_of_row<P>(row, at);
    for (int i = 0; i < Line<P>::kSize; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      entry.values.lane[i] = row.value;
    }
    entry.end = false;
    write_to_stream(out, entry);
  }
  entry.end = true;
  write_to_stream(out, entry);
}

}  // namespace block
}  // namespace gaspipe
