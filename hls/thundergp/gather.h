// SPDX-License-Identifier: Apache-2.0
// How the published design gathers and flushes (X. Chen et al., "ThunderGP", FPGA 2021, and its public sources,
// libfpga/), in place of update_filter.h, raw_solver.h, gather.h, collect.h and write_back.h of hls/module. What costs
// cycles there is kept.
//
//   tupleFilter         pauses for kSetCycles at every set
//   rawSolver           two cycles per update; at the end it watches an empty stream for kIdleCycles
//   dstPropertyProcess  two cycles per update; a row of UltraRAM a cycle leaves in the end, and is cleared with that
//   processEdgeWrite    32 rows of the PEs fill a buffer, then leave it as a burst whose answer is waited for
#pragma once

#include "hls/module/tokens.h"
#include "hls/module/uram_word.h"
#include "hls/platform.h"
#include "hls/stream.h"
#include "hls/thundergp/shuffle.h"

namespace gaspipe {
namespace thundergp {

// Cycles that a set takes besides its updates'. The filter is a pipelined loop over the sets with one over a set's
// updates inside: a set is read, and the inner loop entered, before the first update leaves. Two such cycles give 0.163
// cycles per edge and unit, (0.5 + 0.403 * 2) / 8: with 8 edges to 16 PEs a set is empty with probability
// (15/16)^8 = 0.597. 0.17 to 0.18 is what the published times of PageRank and WCC come to.
constexpr std::uint32_t kSetCycles = 2;
// Polls of an empty stream in a row after which it counts as drained.
constexpr std::uint32_t kIdleCycles = 4097;
constexpr std::uint32_t kWriteBurst = 64;  // words: 4 KB, the most AXI allows

template <int lanes, class Value>
void tupleFilter(stream<PackedSet<Value, lanes>>& in, stream<UpdateToken<Value>>& out) {
  PackedSet<Value, lanes> set;
  UpdateToken<Value> token;
  token.end = false;
  std::uint32_t at = 0;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 8388608);
    if (at == 0) {
      read_from_stream(in, set);
      if (set.end) break;
    }
    if (at >= kSetCycles) {
      token.update = set.update[at - kSetCycles];
      write_to_stream(out, token);
    }
    ++at;
    if (at >= kSetCycles + set.num) at = 0;
  }
  token.end = true;
  write_to_stream(out, token);
}

// Updates become updates of rows, those of a row apart.
template <class Hooks, int pes>
void rawSolver(int pe, VertexId first, stream<UpdateToken<typename Traits<Hooks>::Update>>& in,
               stream<RowUpdate<typename Traits<Hooks>::Update>>& out) {
  using Value = typename Traits<Hooks>::Update;
  RowSolver<Hooks> window;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = window.pending dim = 1 complete);
  window.start();
  const VertexId base = first + static_cast<VertexId>(pe);
  UpdateToken<Value> token;
  RowUpdate<Value> update, solved;
  update.end = false;
  while (true) {
    GASPIPE_PIPELINE(2);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
    read_from_stream(in, token);
    if (token.end) break;
    row_update((token.update.destination - base) / pes, token.update.value, update);
    if (window.step(update, solved)) write_to_stream(out, solved);
  }
  for (int i = 0; i < kRawWindow; ++i) {
    GASPIPE_PIPELINE(2);
    if (window.flush(solved)) write_to_stream(out, solved);
  }
  for (std::uint32_t i = 0; i < kIdleCycles; ++i) {
    GASPIPE_PIPELINE(1);
    solved.end = true;
  }
  write_to_stream(out, solved);
}

// Rows of vertices [first, last), identity where nothing came. Between launches the buffer holds identity;
// it is static, hence one instance of this template per PE: `copy`.
template <class Hooks, int pes, VertexId max_capacity, int copy>
void dstPropertyProcess(VertexId first, VertexId last, stream<RowUpdate<typename Traits<Hooks>::Update>>& in,
                        stream<UramWord<typename Traits<Hooks>::Update>>& out) {
  using Value = typename Traits<Hooks>::Update;
  constexpr std::uint32_t kRows = rows_per_pe<Value, pes>(0, max_capacity);
  const std::uint64_t identity = pack_row(identity_row<Hooks>());
  GASPIPE_ON_CHIP_KEPT(std::uint64_t, buffer, kRows, URAM, identity);
  RowUpdate<Value> update;
  while (true) {
    GASPIPE_PIPELINE(2);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 4194304);
    // A row comes again after kRawWindow others at the earliest: rawSolver sees to it
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = buffer inter RAW true distance = kRawWindow + 1);
    read_from_stream(in, update);
    if (update.end) break;
    buffer[update.row] = pack_row(gather_row<Hooks>(unpack_row<Value>(buffer[update.row]), update));
  }
  const std::uint32_t num = rows_per_pe<Value, pes>(first, last);
  for (std::uint32_t i = 0; i < num; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 32768);
    write_to_stream(out, unpack_row<Value>(buffer[i]));
    buffer[i] = identity;
  }
}

template <class Value, int pes>
void processEdgeWrite(VertexId first, VertexId last, stream<UramWord<Value>> (&in)[pes], Word<Value>* memory) {
  static_assert(pes == 16, "a row of the PEs is two words");
  constexpr std::uint32_t kRowWords = 2, kRows = kWriteBurst / kRowWords;
  const std::uint32_t num_words = (last - first + Word<Value>::kSize - 1) / Word<Value>::kSize;
  GASPIPE_PORT(EagerWrite, port, memory);
  GASPIPE_ON_CHIP(Word<Value>, even, kRows, BRAM);
  GASPIPE_ON_CHIP(Word<Value>, odd, kRows, BRAM);
  GASPIPE_PRAGMA(HLS AGGREGATE variable = even);
  GASPIPE_PRAGMA(HLS AGGREGATE variable = odd);
  UramWord<Value> row[pes];
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = row dim = 1 complete);
  for (std::uint32_t from = 0; from < num_words; from += kWriteBurst) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1024);
    const std::uint32_t num = num_words - from < kWriteBurst ? num_words - from : kWriteBurst;
    for (std::uint32_t i = 0; i < (num + 1) / kRowWords; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 32);
      for (int pe = 0; pe < pes; ++pe) {
        GASPIPE_PRAGMA(HLS UNROLL);
        read_from_stream(in[pe], row[pe]);
      }
      even[i] = word_of_row(row, 0);
      odd[i] = word_of_row(row, 1);
    }
    for (std::uint32_t i = 0; i < num; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 64);
      GASPIPE_WORD(port, from + i, from + num);
      memory[from + i] = i % 2 == 0 ? even[i / 2] : odd[i / 2];
    }
  }
}

// Words [first, last), in bursts that a buffer is filled for; the answer to each is waited for.
template <class T>
void writeBackLite(std::uint32_t first, std::uint32_t last, Word<T>* memory, stream<Word<T>>& in) {
  GASPIPE_PORT(EagerWrite, port, memory);
  GASPIPE_ON_CHIP(Word<T>, burst, kWriteBurst, BRAM);
  GASPIPE_PRAGMA(HLS AGGREGATE variable = burst);
  for (std::uint32_t from = first; from < last; from += kWriteBurst) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 16384);
    const std::uint32_t num = last - from < kWriteBurst ? last - from : kWriteBurst;
    for (std::uint32_t i = 0; i < num; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 64);
      read_from_stream(in, burst[i]);
    }
    for (std::uint32_t i = 0; i < num; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 64);
      GASPIPE_WORD(port, from + i, from + num);
      memory[from + i] = burst[i];
    }
  }
}

}  // namespace thundergp
}  // namespace gaspipe
