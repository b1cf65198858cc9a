// SPDX-License-Identifier: Apache-2.0
// Gathering in rows of UltraRAM (hls/module/uram_word.h) in two banks per PE: while the updates of a sub-partition go
// to one, the rows of the sub-partition before leave the other, which is cleared with that.
//
// The PEs' rows together are words of memory, so all PEs have to send a row at the same place in the stream of updates:
// a PE that waited for updates of its own would hold up those that wait for its row. Therefore every kSetsPerRow-th set
// of updates is marked, for all PEs alike, and a PE sends a row when it meets the mark, with or without an update of
// its own. What is left of the rows at the end of a sub-partition is sent then. All reads wait, so this is a Kahn
// network too.
//
// Marks cost a PE a cycle only where a set has nothing for it. Two words of memory per row, every fourth cycle: half of
// what a port writes, a quarter of what a sub-partition's edges read at 16 lanes.
#pragma once

#include "hls/module/latency.h"
#include "hls/module/shuffle.h"
#include "hls/module/sub_partition.h"
#include "hls/module/tokens.h"
#include "hls/module/uram_word.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

constexpr std::uint32_t kSetsPerRow = 4;
constexpr std::uint32_t kRowMark = 1u << 31;  // in UpdateSet::valid

// As ListedSet; the destination of the end token's first update is the number of rows of the sub-partition that ends.
template <class Value, int lanes>
struct MarkedSet {
  Update<Value> update[lanes];
  std::uint64_t lane;
  std::uint8_t num;
  bool mark, end;
};
// A PE's: without an update where `destination` is kNoVertex. The end token's is the sub-partition's number of rows.
template <class Value>
struct MarkedUpdate {
  Update<Value> update;
  bool mark, end;
};
template <class Value>
struct MarkedRow {
  RowUpdate<Value> update;  // none where `row` is kNoRow; the end token's is the sub-partition's number of rows
  bool mark;
};

// Hands sets to all PEs; `marks` them, as long as the sub-partition before has rows to send.
template <int pes, bool marks = true, class Value, int lanes>
void broadcastRows(std::uint32_t num_sub_partitions, stream<SubPartitionToken>& sub_partitions,
                   stream<UpdateSet<Value, lanes>>& in, stream<UpdateSet<Value, lanes>> (&out)[pes]) {
  UpdateSet<Value, lanes> set;
  std::uint32_t num_rows = 0;  // of the sub-partition before
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    SubPartitionToken sub_partition;
    read_from_stream(sub_partitions, sub_partition);
    const std::uint32_t own_rows = rows_per_pe<Value, pes>(0, sub_partition.num_vertices);
    std::uint32_t num_marks = 0, until = kSetsPerRow - 1;
    set.end = false;
    while (!set.end) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
      read_from_stream(in, set);
      if (set.end) {
        set.update[0].destination = own_rows;
      } else if (marks && until == 0 && num_marks < num_rows) {
        set.valid |= kRowMark;
        ++num_marks;
      }
      until = until == 0 ? kSetsPerRow - 1 : until - 1;
      for (int i = 0; i < pes; ++i) {
        GASPIPE_PRAGMA(HLS UNROLL);
        write_to_stream(out[i], set);
      }
    }
    num_rows = own_rows;
  }
}

// What is for PE `pe` (destination % pes == pe), and the marks.
template <int lanes, int pes, class Value>
void shuffleDecoder(int pe, std::uint32_t num_sub_partitions, stream<UpdateSet<Value, lanes>>& in,
                    stream<MarkedSet<Value, lanes>>& out) {
  UpdateSet<Value, lanes> set;
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    set.end = false;
    while (!set.end) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
      read_from_stream(in, set);
      const std::uint32_t bits = opcode<pes>(set, pe) & ((1u << lanes) - 1);
      const bool mark = !set.end && (set.valid & kRowMark) != 0;
      if (bits != 0 || mark || set.end) {
        MarkedSet<Value, lanes> marked;
        list_lanes(set, set.end ? 1 : bits, marked);  // of the end token, the lane with the number of rows
        marked.mark = mark;
        marked.end = set.end;
        write_to_stream(out, marked);
      }
    }
  }
}

// One update a cycle; a mark goes with the set's first.
template <int lanes, class Value>
void tupleFilter(std::uint32_t num_sub_partitions, stream<MarkedSet<Value, lanes>>& in,
                 stream<MarkedUpdate<Value>>& out) {
  MarkedSet<Value, lanes> set;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = set.update complete);
  MarkedUpdate<Value> token;
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    std::uint8_t left = 0;  // of what the set lists
    token.end = false;
    while (!token.end) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
      const bool is_first = left == 0;
      if (is_first) {
        read_from_stream(in, set);
        left = set.num;
      }
      token.update = set.update[set.lane % lanes];
      if (left == 0) token.update.destination = kNoVertex;
      token.mark = set.mark && is_first;
      token.end = set.end;
      write_to_stream(out, token);
      if (left != 0) --left;
      set.lane >>= 4;
    }
  }
}

// Updates of a row apart, as in rawSolver: destinations are counted from the sub-partition's first. The window is empty
// between sub-partitions.
template <class Hooks, int pes, EnableIf<merges_at_once<Hooks>(), int> = 0>
void rawSolver(std::uint32_t num_sub_partitions, stream<MarkedUpdate<typename Traits<Hooks>::Update>>& in,
               stream<MarkedRow<typename Traits<Hooks>::Update>>& out) {
  using Value = typename Traits<Hooks>::Update;
  RowSolver<Hooks> window;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = window.pending dim = 1 complete);
  MarkedUpdate<Value> token;
  MarkedRow<Value> solved;
  RowUpdate<Value> update;
  update.end = false;
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    window.start();
    while (true) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
      read_from_stream(in, token);
      if (token.end) break;
      bool leaves = false;
      if (token.update.destination != kNoVertex) {
        row_update(token.update.destination / pes, token.update.value, update);
        leaves = window.step(update, solved.update);
      }
      solved.mark = token.mark;
      if (!leaves) {
        solved.update.row = kNoRow;
        solved.update.valid = 0;
        solved.update.end = false;
      }
      if (leaves || token.mark) write_to_stream(out, solved);
    }
    solved.mark = false;
    for (int i = 0; i < kRawWindow; ++i) {
      GASPIPE_PIPELINE(1);
      if (window.flush(solved.update)) write_to_stream(out, solved);
    }
    solved.update.row = token.update.destination;
    solved.update.end = true;
    write_to_stream(out, solved);
  }
}

// Updates of a row held back (raw_stall.h). A token has an update, a mark, or both, or is there to let time pass.
template <class Hooks, int pes, EnableIf<!merges_at_once<Hooks>(), int> = 0>
void rawSolver(std::uint32_t num_sub_partitions, stream<MarkedUpdate<typename Traits<Hooks>::Update>>& in,
               stream<MarkedRow<typename Traits<Hooks>::Update>>& out) {
  using Value = typename Traits<Hooks>::Update;
  RawStall<update_distance<Hooks>()> stall;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = stall.recent dim = 1 complete);
  MarkedUpdate<Value> token;
  MarkedRow<Value> sent;
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    stall.start();
    token.end = false;
    bool holds = false;
    while (holds || !token.end) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
      if (!holds) read_from_stream(in, token);
      const bool updates = !token.end && token.update.destination != kNoVertex;
      row_update(token.update.destination / pes, token.update.value, sent.update);
      holds = stall.step(sent.update.row, updates, 2 * kMostRows - 1);
      if (token.end) {
        sent.update.row = token.update.destination;
      } else if (holds || !updates) {
        sent.update.row = kNoRow;
      }
      if (holds || !updates) sent.update.valid = 0;
      sent.update.end = token.end;
      sent.mark = token.mark && !holds && !token.end;
      write_to_stream(out, sent);
    }
  }
}

// Two banks hold identity when a launch starts, and when it ends. `num_cleared` rows of each are made so before: all
// (capacity / pes / values of a row) in the first launch on a card that was just configured, none after that.
//
// A bank has one address to read and one to write per cycle: a row that an update is for, or the next one to send.
// The banks are static, hence one instance of this template per PE: `copy`.
template <class Hooks, int pes, VertexId max_capacity, int copy, int apart = update_distance<Hooks>(),
          int interval = gather_interval<Hooks>(apart)>
void gatherRows(std::uint32_t num_sub_partitions, std::uint32_t num_cleared,
                stream<MarkedRow<typename Traits<Hooks>::Update>>& in,
                stream<UramWord<typename Traits<Hooks>::Update>>& out) {
  using Value = typename Traits<Hooks>::Update;
  using Row = UramWord<Value>;
  constexpr std::uint32_t kRows = rows_per_pe<Value, pes>(0, max_capacity);
  static_assert(kRows <= kMostRows, "rows that rawSolver tells apart");
  const std::uint64_t identity = pack_row(identity_row<Hooks>());
  GASPIPE_ON_CHIP_KEPT(std::uint64_t, even, kRows, URAM, identity);
  GASPIPE_ON_CHIP_KEPT(std::uint64_t, odd, kRows, URAM, identity);
  for (std::uint32_t i = 0; i < num_cleared; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 32768);
    even[i] = identity;
    odd[i] = identity;
  }
  MarkedRow<Value> token;
  token.update.word = identity_row<Hooks>();
  token.update.valid = 0;
  std::uint32_t num_rows = 0;  // of the sub-partition before
  bool is_odd = false;         // where the sub-partition's updates go
  // Once more than there are sub-partitions: the last one's rows.
  for (std::uint32_t s = 0; s <= num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 2 max = 257);
    std::uint32_t num_sent = 0;
    bool ended = s == num_sub_partitions;
    token.update.row = 0;
    while (!ended || num_sent < num_rows) {
      GASPIPE_PIPELINE(interval);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
      // A row comes again after that many iterations at the earliest: rawSolver sees to it. A row is sent once.
      GASPIPE_PRAGMA(HLS DEPENDENCE variable = even inter RAW true distance = apart);  // see above
      GASPIPE_PRAGMA(HLS DEPENDENCE variable = odd inter RAW true distance = apart);   // see above
      bool updates = false, sends = ended;
      if (!ended) {
        read_from_stream(in, token);
        ended = token.update.end;
        updates = !ended && token.update.row != kNoRow;
        sends = token.mark;
      }
      const std::uint32_t row = updates ? token.update.row : 0, next = sends ? num_sent : 0;
      const std::uint64_t in_even = even[is_odd ? next : row], in_odd = odd[is_odd ? row : next];
      const Row held = unpack_row<Value>(is_odd ? in_odd : in_even);
      const std::uint64_t gathered = pack_row(gather_row<Hooks>(held, token.update));
      if (sends) write_to_stream(out, unpack_row<Value>(is_odd ? in_even : in_odd));
      if (is_odd ? sends : updates) even[is_odd ? next : row] = is_odd ? identity : gathered;
      if (is_odd ? updates : sends) odd[is_odd ? row : next] = is_odd ? gathered : identity;
      if (sends) ++num_sent;
    }
    num_rows = token.update.row;
    is_odd = !is_odd;
  }
}

// Rows of all PEs, as words of memory, one a cycle: their number is known, so bursts are.
template <class Value, int pes>
void writeRows(std::uint32_t num_sub_partitions, stream<SubPartitionToken>& sub_partitions,
               stream<UramWord<Value>> (&in)[pes], Word<Value>* memory) {
  constexpr int kRowWords = words_per_row<pes>();
  GASPIPE_PORT(Write, port, memory);
  UramWord<Value> row[pes];
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = row dim = 1 complete);
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    SubPartitionToken sub_partition;
    read_from_stream(sub_partitions, sub_partition);
    const std::uint32_t first = sub_partition.first_gathered_word;
    const std::uint32_t last = first + (sub_partition.num_vertices + Word<Value>::kSize - 1) / Word<Value>::kSize;
    int at = 0;
    for (std::uint32_t i = first; i < last; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
      if (at == 0) {
        for (int pe = 0; pe < pes; ++pe) {
          GASPIPE_PRAGMA(HLS UNROLL);
          read_from_stream(in[pe], row[pe]);
        }
      }
      GASPIPE_WORD(port, i, last);
      memory[i] = word_of_row(row, at);
      at = at + 1 == kRowWords ? 0 : at + 1;
    }
  }
}

}  // namespace gaspipe
