// SPDX-License-Identifier: Apache-2.0
// Values of vertices in the words of UltraRAM, 64 bits: two of 32 bits or one of 64. PE p of `pes` holds the vertices v
// with v % pes == p; number i of them, (v - first) / pes, is lane i % kSize of its row i / kSize. So row r of all PEs
// together is pes / 8 words of memory, from word r * pes / 8 on.
//
// A row is read and written as a whole, so what has to keep apart is updates of a row, not of a vertex: RowSolver is
// the RAW solver (hls/module/raw_solver.h) on rows. Its entries merge updates of one vertex, and hold those of its
// neighbour in the row beside them.
#pragma once

#include "hls/module/bits.h"
#include "hls/module/raw_solver.h"
#include "hls/platform.h"
#include "hls/word.h"

namespace gaspipe {

template <class Value>
struct alignas(8) UramWord {
  static_assert(sizeof(Value) == 4 || sizeof(Value) == 8, "values of 32 or 64 bits");
  static constexpr int kSize = 8 / sizeof(Value);
  Value lane[kSize];
};

// A row as memory holds it, lane 0 in the lowest bits.
template <class Value>
std::uint64_t pack_row(const UramWord<Value>& row) {
  GASPIPE_PRAGMA(HLS INLINE);
  std::uint64_t bits = 0;
  for (int i = 0; i < UramWord<Value>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    bits |= std::uint64_t(to_bits(row.lane[i])) << (64 / UramWord<Value>::kSize * i);
  }
  return bits;
}
template <class Value>
UramWord<Value> unpack_row(std::uint64_t bits) {
  GASPIPE_PRAGMA(HLS INLINE);
  UramWord<Value> row;
  for (int i = 0; i < UramWord<Value>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    row.lane[i] = from_bits<Value>(BitsOf<Value>(bits >> (64 / UramWord<Value>::kSize * i)));
  }
  return row;
}

// Rows that each PE has for vertices [first, last).
template <class Value, int pes>
constexpr std::uint32_t rows_per_pe(VertexId first, VertexId last) {
  return (last - first + pes * UramWord<Value>::kSize - 1) / (pes * UramWord<Value>::kSize);
}
// Words of memory of a row of PEs.
template <int pes>
constexpr int words_per_row() {
  static_assert(pes % 8 == 0, "whole words");
  return pes / 8;
}

// Rows of a PE: 2^20 vertices over 8 PEs at the most. Rows are compared in the bits that those take, and one more in
// which kNoRow differs from all of them: two levels of look-up tables, where 32 bits take three.
constexpr std::uint32_t kMostRows = 1u << 17;
constexpr std::uint32_t kNoRow = 0xffffffffu;

// An update of lanes of a row.
template <class Value>
struct RowUpdate {
  UramWord<Value> word;
  std::uint32_t row;
  std::uint8_t valid;  // bit per lane
  bool end;
};

// The update of number `index` among a PE's vertices.
template <class Value>
void row_update(std::uint32_t index, const Value& value, RowUpdate<Value>& update) {
  GASPIPE_PRAGMA(HLS INLINE);
  constexpr std::uint32_t kSize = UramWord<Value>::kSize;
  update.row = index / kSize;
  update.valid = static_cast<std::uint8_t>(1u << (index % kSize));
  for (std::uint32_t i = 0; i < kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    update.word.lane[i] = value;
  }
}

template <class Hooks>
UramWord<typename Traits<Hooks>::Update> identity_row() {
  GASPIPE_PRAGMA(HLS INLINE);
  UramWord<typename Traits<Hooks>::Update> row;
  for (int i = 0; i < UramWord<typename Traits<Hooks>::Update>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    row.lane[i] = Traits<Hooks>::identity();
  }
  return row;
}

template <class Hooks>
struct RowSolver {
  using Value = typename Traits<Hooks>::Update;

  RowUpdate<Value> pending[kRawWindow];  // oldest first; nothing waits where the row is kNoRow

  void start() {
    GASPIPE_PRAGMA(HLS INLINE);
    for (int i = 0; i < kRawWindow; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      pending[i].row = kNoRow;
      pending[i].word = identity_row<Hooks>();
      pending[i].valid = 0;
      pending[i].end = false;
    }
  }
  // Takes an update; whether one left, in `out`.
  bool step(const RowUpdate<Value>& in, RowUpdate<Value>& out) {
    GASPIPE_PRAGMA(HLS INLINE);
    bool merged = false;
    for (int i = 0; i < kRawWindow; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (((pending[i].row ^ in.row) & (2 * kMostRows - 1)) == 0) {
        merge(pending[i], in);
        merged = true;
      }
    }
    return !merged && push(in, out);
  }
  // Gives up the oldest; false if nothing waited there. After kRawWindow calls nothing waits.
  bool flush(RowUpdate<Value>& out) {
    GASPIPE_PRAGMA(HLS INLINE);
    RowUpdate<Value> nothing;
    nothing.row = kNoRow;
    nothing.valid = 0;
    nothing.end = false;
    return push(nothing, out);
  }

 private:
  void merge(RowUpdate<Value>& entry, const RowUpdate<Value>& in) {
    GASPIPE_PRAGMA(HLS INLINE);
    for (int i = 0; i < UramWord<Value>::kSize; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if ((in.valid >> i & 1u) == 0) continue;
      entry.word.lane[i] = (entry.valid >> i & 1u) != 0
                               ? Hooks::updateMergeInRAWSolver(entry.word.lane[i], in.word.lane[i])
                               : in.word.lane[i];
    }
    entry.valid = static_cast<std::uint8_t>(entry.valid | in.valid);
  }
  bool push(const RowUpdate<Value>& in, RowUpdate<Value>& out) {
    GASPIPE_PRAGMA(HLS INLINE);
    out = pending[0];
    for (int i = 0; i + 1 < kRawWindow; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      pending[i] = pending[i + 1];
    }
    pending[kRawWindow - 1] = in;
    return out.row != kNoRow;
  }
};

// A row with an update in it.
template <class Hooks>
UramWord<typename Traits<Hooks>::Update> gather_row(UramWord<typename Traits<Hooks>::Update> row,
                                                    const RowUpdate<typename Traits<Hooks>::Update>& update) {
  GASPIPE_PRAGMA(HLS INLINE);
  for (int i = 0; i < UramWord<typename Traits<Hooks>::Update>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    if ((update.valid >> i & 1u) != 0) row.lane[i] = Hooks::gatherFunc(row.lane[i], update.word.lane[i]);
  }
  return row;
}

// Word `number` of memory that a row of all PEs holds.
template <class Value, int pes>
Word<Value> word_of_row(const UramWord<Value> (&row)[pes], int number) {
  GASPIPE_PRAGMA(HLS INLINE);
  Word<Value> word;
  for (int i = 0; i < Word<Value>::kSize; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    const int at = number * Word<Value>::kSize + i;  // among the row's vertices
    word.lane[i] = row[at % pes].lane[at / pes];
  }
  return word;
}

}  // namespace gaspipe
