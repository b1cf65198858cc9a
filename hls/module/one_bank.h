// SPDX-License-Identifier: Apache-2.0
// Gathering in one bank of rows of UltraRAM (uram_word.h) per PE or lane: when a sub-partition's last update is in, its
// rows leave and are cleared, and the next one's updates wait meanwhile. Half the memory of gatherRows (row_gather.h),
// whose streams of updates these are, without marks.
//
// Two ways to send updates to where they are gathered:
// - shuffled (broadcastRows, shuffleDecoder, tupleFilter): a PE has some of the destinations, and gets an update a
// cycle;
// - by lane (splitLanes): a lane has a copy of all destinations, so nothing is shuffled and no update waits for others;
//   the copies are merged when they leave (mergeCopies). A copy has kCopyBlocks blocks of memory, which send a row each
//   a cycle, half a word of memory.
#pragma once

#include "hls/module/merge.h"
#include "hls/module/row_gather.h"
#include "hls/module/write_back.h"

namespace gaspipe {

constexpr int kCopyBlocks = 4;

// Rows that leave a copy together: those from kCopyBlocks * i on.
template <class Value>
struct RowGroup {
  UramWord<Value> row[kCopyBlocks];
};

template <class Value>
std::uint32_t words_of_vertices(std::uint32_t num_vertices) {
  GASPIPE_PRAGMA(HLS INLINE);
  return (num_vertices + Word<Value>::kSize - 1) / Word<Value>::kSize;
}
// A word of memory is this many groups.
template <class Value>
constexpr std::uint32_t groups_per_word() {
  return std::uint32_t(Word<Value>::kSize / (kCopyBlocks * UramWord<Value>::kSize));
}

// Every lane's updates to the lane's own stream. The end token's destination is the number of groups to send.
template <class Value, int lanes>
void splitLanes(std::uint32_t num_sub_partitions, stream<SubPartitionToken>& sub_partitions,
                stream<UpdateSet<Value, lanes>>& in, stream<MarkedUpdate<Value>> (&out)[lanes]) {
  UpdateSet<Value, lanes> set;
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    SubPartitionToken sub_partition;
    read_from_stream(sub_partitions, sub_partition);
    const std::uint32_t num_groups = words_of_vertices<Value>(sub_partition.num_vertices) * groups_per_word<Value>();
    set.end = false;
    while (!set.end) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
      read_from_stream(in, set);
      for (int i = 0; i < lanes; ++i) {
        GASPIPE_PRAGMA(HLS UNROLL);
        MarkedUpdate<Value> token;
        token.update = set.update[i];
        if (set.end) token.update.destination = num_groups;
        token.mark = false;
        token.end = set.end;
        if (set.end || (set.valid >> i & 1u) != 0) write_to_stream(out[i], token);
      }
    }
  }
}

// A PE's rows, one a cycle. `num_cleared` and `copy` as in gatherRows.
template <class Hooks, int pes, VertexId max_capacity, int copy, int apart = update_distance<Hooks>(),
          int interval = gather_interval<Hooks>(apart)>
void gatherBank(std::uint32_t num_sub_partitions, std::uint32_t num_cleared,
                stream<MarkedRow<typename Traits<Hooks>::Update>>& in,
                stream<UramWord<typename Traits<Hooks>::Update>>& out) {
  using Value = typename Traits<Hooks>::Update;
  constexpr std::uint32_t kRows = rows_per_pe<Value, pes>(0, max_capacity);
  static_assert(kRows <= kMostRows, "rows that rawSolver tells apart");
  const std::uint64_t identity = pack_row(identity_row<Hooks>());
  GASPIPE_ON_CHIP_KEPT(std::uint64_t, rows, kRows, URAM, identity);
  for (std::uint32_t i = 0; i < num_cleared; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 8192);
    rows[i] = identity;
  }
  MarkedRow<Value> token;
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    while (true) {
      GASPIPE_PIPELINE(interval);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
      GASPIPE_PRAGMA(HLS DEPENDENCE variable = rows inter RAW true distance = apart);  // rawSolver
      read_from_stream(in, token);
      if (token.update.end) break;
      if (!merges_at_once<Hooks>() && token.update.row == kNoRow) continue;
      const std::uint64_t held = rows[token.update.row];
      rows[token.update.row] = pack_row(gather_row<Hooks>(unpack_row<Value>(held), token.update));
    }
    const std::uint32_t num_rows = token.update.row;
    for (std::uint32_t i = 0; i < num_rows; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 8192);
      write_to_stream(out, unpack_row<Value>(rows[i]));
      rows[i] = identity;
    }
  }
}

// A lane's copy, in kCopyBlocks blocks: row r is in block r % kCopyBlocks. `num_cleared` rows of each are cleared.
template <class Hooks, VertexId max_capacity, int copy, int apart = update_distance<Hooks>(),
          int interval = gather_interval<Hooks>(apart)>
void gatherCopy(std::uint32_t num_sub_partitions, std::uint32_t num_cleared,
                stream<MarkedRow<typename Traits<Hooks>::Update>>& in,
                stream<RowGroup<typename Traits<Hooks>::Update>>& out) {
  using Value = typename Traits<Hooks>::Update;
  static_assert(kCopyBlocks == 4, "as many as are named here");
  constexpr std::uint32_t kRows = rows_per_pe<Value, kCopyBlocks>(0, max_capacity);  // of a block
  static_assert(kCopyBlocks * kRows <= kMostRows, "rows that rawSolver tells apart");
  const std::uint64_t identity = pack_row(identity_row<Hooks>());
  GASPIPE_ON_CHIP_KEPT(std::uint64_t, block_0, kRows, URAM, identity);
  GASPIPE_ON_CHIP_KEPT(std::uint64_t, block_1, kRows, URAM, identity);
  GASPIPE_ON_CHIP_KEPT(std::uint64_t, block_2, kRows, URAM, identity);
  GASPIPE_ON_CHIP_KEPT(std::uint64_t, block_3, kRows, URAM, identity);
  for (std::uint32_t i = 0; i < num_cleared; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 8192);
    block_0[i] = identity;
    block_1[i] = identity;
    block_2[i] = identity;
    block_3[i] = identity;
  }
  MarkedRow<Value> token;
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    while (true) {
      GASPIPE_PIPELINE(interval);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
      GASPIPE_PRAGMA(HLS DEPENDENCE variable = block_0 inter RAW true distance = apart);  // rawSolver
      GASPIPE_PRAGMA(HLS DEPENDENCE variable = block_1 inter RAW true distance = apart);  // rawSolver
      GASPIPE_PRAGMA(HLS DEPENDENCE variable = block_2 inter RAW true distance = apart);  // rawSolver
      GASPIPE_PRAGMA(HLS DEPENDENCE variable = block_3 inter RAW true distance = apart);  // rawSolver
      read_from_stream(in, token);
      if (token.update.end) break;
      if (!merges_at_once<Hooks>() && token.update.row == kNoRow) continue;
      const std::uint32_t block = token.update.row % kCopyBlocks, at = token.update.row / kCopyBlocks;
      const std::uint64_t in_0 = block_0[at], in_1 = block_1[at], in_2 = block_2[at], in_3 = block_3[at];
      const std::uint64_t held = block == 0 ? in_0 : block == 1 ? in_1 : block == 2 ? in_2 : in_3;
      const std::uint64_t gathered = pack_row(gather_row<Hooks>(unpack_row<Value>(held), token.update));
      if (block == 0) block_0[at] = gathered;
      if (block == 1) block_1[at] = gathered;
      if (block == 2) block_2[at] = gathered;
      if (block == 3) block_3[at] = gathered;
    }
    const std::uint32_t num_groups = token.update.row;
    for (std::uint32_t i = 0; i < num_groups; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 8192);
      RowGroup<Value> group;
      group.row[0] = unpack_row<Value>(block_0[i]);
      group.row[1] = unpack_row<Value>(block_1[i]);
      group.row[2] = unpack_row<Value>(block_2[i]);
      group.row[3] = unpack_row<Value>(block_3[i]);
      write_to_stream(out, group);
      block_0[i] = identity;
      block_1[i] = identity;
      block_2[i] = identity;
      block_3[i] = identity;
    }
  }
}

// The copies' rows merged by a tree, into the first. Loops of constant length, which tools unroll.
template <class Hooks, int copies>
void merge_copies(UramWord<typename Traits<Hooks>::Update> (&row)[copies]) {
  GASPIPE_PRAGMA(HLS INLINE);
  static_assert(copies == 8 || copies == 16, "as many as lanes");
  constexpr int kLevels = copies == 16 ? 4 : 3;
  for (int level = 0; level < kLevels; ++level) {
    GASPIPE_PRAGMA(HLS UNROLL);
    for (int i = 0; i < copies; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      for (int k = 0; k < UramWord<typename Traits<Hooks>::Update>::kSize; ++k) {
        GASPIPE_PRAGMA(HLS UNROLL);
        if (i % (2 << level) == 0) {
          row[i].lane[k] = Hooks::applyMerge(row[i].lane[k], row[(i + (1 << level)) % copies].lane[k]);
        }
      }
    }
  }
}

// Words of memory from groups of all copies, one every other cycle; to writeWords, which needs the descriptors too.
template <class Hooks, int copies>
void mergeCopies(std::uint32_t num_sub_partitions, stream<SubPartitionToken>& sub_partitions,
                 stream<RowGroup<typename Traits<Hooks>::Update>> (&in)[copies],
                 stream<SubPartitionToken>& write_sub_partitions, stream<Word<typename Traits<Hooks>::Update>>& out) {
  using Value = typename Traits<Hooks>::Update;
  constexpr int kRowSize = UramWord<Value>::kSize, kHalf = kCopyBlocks * kRowSize;
  static_assert(groups_per_word<Value>() == 2, "a word is two groups");
  Word<Value> word;
  RowGroup<Value> group[copies];
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = group dim = 0 complete);
  UramWord<Value> row[copies];
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = row dim = 0 complete);
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    SubPartitionToken sub_partition;
    read_from_stream(sub_partitions, sub_partition);
    write_to_stream(write_sub_partitions, sub_partition);
    const std::uint32_t num_groups = 2 * words_of_vertices<Value>(sub_partition.num_vertices);
    for (std::uint32_t i = 0; i < num_groups; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 8192);
      for (int c = 0; c < copies; ++c) {
        GASPIPE_PRAGMA(HLS UNROLL);
        read_from_stream(in[c], group[c]);
      }
      for (int k = 0; k < kHalf; ++k) {
        GASPIPE_PRAGMA(HLS UNROLL);
        word.lane[k] = word.lane[kHalf + k];
      }
      for (int block = 0; block < kCopyBlocks; ++block) {
        GASPIPE_PRAGMA(HLS UNROLL);
        for (int c = 0; c < copies; ++c) {
          GASPIPE_PRAGMA(HLS UNROLL);
          row[c] = group[c].row[block];
        }
        merge_copies<Hooks>(row);
        for (int k = 0; k < kRowSize; ++k) {
          GASPIPE_PRAGMA(HLS UNROLL);
          word.lane[kHalf + kRowSize * block + k] = row[0].lane[k];
        }
      }
      if (i % 2 == 1) write_to_stream(out, word);
    }
  }
}

// The words of every sub-partition, to its place.
template <class Value>
void writeWords(std::uint32_t num_sub_partitions, stream<SubPartitionToken>& sub_partitions, stream<Word<Value>>& in,
                Word<Value>* memory) {
  GASPIPE_PORT(Write, port, memory);
  for (std::uint32_t s = 0; s < num_sub_partitions; ++s) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 256);
    SubPartitionToken sub_partition;
    read_from_stream(sub_partitions, sub_partition);
    const std::uint32_t first = sub_partition.first_gathered_word;
    const std::uint32_t last = first + words_of_vertices<Value>(sub_partition.num_vertices);
    for (std::uint32_t i = first; i < last; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4096);
      Word<Value> word;
      read_from_stream(in, word);
      GASPIPE_WORD(port, i, last);
      memory[i] = word;
    }
  }
}

}  // namespace gaspipe
