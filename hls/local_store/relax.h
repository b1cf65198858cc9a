// SPDX-License-Identifier: Apache-2.0
// The edges of vertices that are sent become distances for the owners of their targets, where a target takes one that
// is nearer. Between the two are dispatchLists and exchangeCodes, as in a search.
#pragma once

#include "hls/local_store/dispatch.h"
#include "hls/local_store/length.h"
#include "hls/module/latency.h"
#include "hls/module/mark_window.h"

namespace gaspipe {

// A distance on its way to the owner of vertex `index`, or a sentinel as of CodeMessage.
struct DistanceMessage {
  std::uint32_t index, distance;
  bool end, last;
};
struct OwnedDistance {
  using Message = DistanceMessage;
  std::uint32_t index, distance;
  std::uint8_t owner;
  bool end;

  void put(Message& message) const {
    GASPIPE_PRAGMA(HLS INLINE);
    message.index = index;
    message.distance = distance;
  }
};

// An edge a cycle. `units` PEs, of which this is number `pe`: a target's owner is counted from this one on.
template <int units, class Number>
void unpackEdges(std::uint32_t pe, stream<EdgeRun>& runs, stream<Word<std::uint64_t>>& edges,
                 stream<OwnedDistance>& out) {
  EdgeRun run = {};
  Word<std::uint64_t> word = {};
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = word.lane complete);
  OwnedDistance token = {};
  std::uint8_t at = 0;  // of the word
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 268435456);
    if (run.num == 0) {
      read_from_stream(runs, run);
      if (run.end) break;
      at = 0;
    }
    if (at == 0) read_from_stream(edges, word);
    --run.num;
    const auto target = static_cast<VertexId>(word.lane[0]);
    token.index = target / units;
    token.distance = Length<Number>::sum(run.distance, static_cast<std::uint32_t>(word.lane[0] >> 32));
    token.owner = static_cast<std::uint8_t>((target - pe) % units);
    write_to_stream(out, token);
    for (int k = 0; k + 1 < Word<std::uint64_t>::kSize; ++k) {
      GASPIPE_PRAGMA(HLS UNROLL);
      word.lane[k] = word.lane[k + 1];
    }
    at = static_cast<std::uint8_t>((at + 1) % kEdgesPerWord);
  }
  token.end = true;
  write_to_stream(out, token);
}

// A distance for a vertex. `held`: as of MarkRequest.
struct DistanceRequest {
  std::uint32_t index, distance;
  std::uint8_t held;
  bool end;
};

inline void watchCells(stream<DistanceMessage>& in, stream<DistanceRequest>& out) {
  RowWindow window;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = window.row complete);
  window.start();
  DistanceMessage message;
  DistanceRequest request;
  message.end = false;
  while (!message.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 268435456);
    read_from_stream(in, message);
    request.index = message.index;
    request.distance = message.distance;
    request.held = window.take(message.index / kCellsPerRow);
    request.end = message.end;
    write_to_stream(out, request);
  }
}

// Rows of two cells, as written in the last iterations, the newest first: MarkWindow for distances.
struct CellWindow {
  std::uint64_t row[kMarkWindow];

  void start() {
    GASPIPE_PRAGMA(HLS INLINE);
    for (int i = 0; i < kMarkWindow; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      row[i] = 0;
    }
  }
  // A distance for the upper or the lower cell of a row, which memory has as `read`. The row as it is now.
  std::uint64_t relax(std::uint8_t held, bool upper, std::uint32_t distance, std::uint64_t read) {
    GASPIPE_PRAGMA(HLS INLINE);
    std::uint64_t before = held == 0 ? read : 0;
    for (int i = 0; i < kMarkWindow; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if ((held >> i & 1u) != 0) before |= row[i];
    }
    for (int i = kMarkWindow - 1; i > 0; --i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      row[i] = row[i - 1];
    }
    const auto low = static_cast<std::uint32_t>(before), high = static_cast<std::uint32_t>(before >> 32);
    const bool nearer_low = !upper && distance < distance_of(low), nearer_high = upper && distance < distance_of(high);
    const std::uint32_t cell = kWaits | distance;
    return row[0] = std::uint64_t(nearer_high ? cell : high) << 32 | (nearer_low ? cell : low);
  }
};

// A distance a cycle. The `num_words` words of cells come first; they leave again after the end token. Word w of them
// is row w of all eight banks, which are cells_a to cells_h.
template <VertexId capacity>
void relaxDistances(std::uint32_t num_words, stream<Word<std::uint64_t>>& loaded, stream<DistanceRequest>& in,
                    stream<Word<std::uint64_t>>& out) {
  static_assert(capacity % kCellsPerWord == 0, "whole words");
  GASPIPE_ON_CHIP(std::uint64_t, cells_a, capacity / kCellsPerWord, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, cells_b, capacity / kCellsPerWord, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, cells_c, capacity / kCellsPerWord, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, cells_d, capacity / kCellsPerWord, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, cells_e, capacity / kCellsPerWord, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, cells_f, capacity / kCellsPerWord, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, cells_g, capacity / kCellsPerWord, URAM);
  GASPIPE_ON_CHIP(std::uint64_t, cells_h, capacity / kCellsPerWord, URAM);
  for (std::uint32_t i = 0; i < num_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
    Word<std::uint64_t> word;
    read_from_stream(loaded, word);
    cells_a[i] = word.lane[0];
    cells_b[i] = word.lane[1];
    cells_c[i] = word.lane[2];
    cells_d[i] = word.lane[3];
    cells_e[i] = word.lane[4];
    cells_f[i] = word.lane[5];
    cells_g[i] = word.lane[6];
    cells_h[i] = word.lane[7];
  }
  CellWindow window;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = window.row complete);
  window.start();
  DistanceRequest request;
  request.end = false;
  while (!request.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 268435456);
    // A row that was written within kMarkWindow iterations comes from the window.
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = cells_a inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = cells_b inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = cells_c inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = cells_d inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = cells_e inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = cells_f inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = cells_g inter RAW true distance = kMarkWindow + 1);  // see above
    GASPIPE_PRAGMA(HLS DEPENDENCE variable = cells_h inter RAW true distance = kMarkWindow + 1);  // see above
    read_from_stream(in, request);
    if (!request.end) {
      const std::uint32_t at = request.index / kCellsPerWord, bank = request.index / kCellsPerRow % 8;
      const std::uint64_t read[8] = {cells_a[at], cells_b[at], cells_c[at], cells_d[at],
                                     cells_e[at], cells_f[at], cells_g[at], cells_h[at]};
      GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = read complete);
      const bool upper = request.index % kCellsPerRow != 0;
      const std::uint64_t row = window.relax(request.held, upper, request.distance, read[bank]);
      if (bank == 0) cells_a[at] = row;
      if (bank == 1) cells_b[at] = row;
      if (bank == 2) cells_c[at] = row;
      if (bank == 3) cells_d[at] = row;
      if (bank == 4) cells_e[at] = row;
      if (bank == 5) cells_f[at] = row;
      if (bank == 6) cells_g[at] = row;
      if (bank == 7) cells_h[at] = row;
    }
  }
  for (std::uint32_t i = 0; i < num_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
    write_to_stream(out,
                    {{cells_a[i], cells_b[i], cells_c[i], cells_d[i], cells_e[i], cells_f[i], cells_g[i], cells_h[i]}});
  }
}

// Of the first 2 `n` numbers the lesser ones of two, as the first `n`.
template <int n>
void halve(std::uint32_t (&numbers)[kCells]) {
  GASPIPE_PRAGMA(HLS INLINE);
  for (int k = 0; k < n; ++k) {
    GASPIPE_PRAGMA(HLS UNROLL);
    if (numbers[k + n] < numbers[k]) numbers[k] = numbers[k + n];
  }
}

// A word a cycle, and the control word at the end, where all of the cells are known.
inline void commitDistances(std::uint32_t num_words, std::uint32_t limit, stream<Word<std::uint64_t>>& in,
                            Word<std::uint64_t>* next_distances) {
  GASPIPE_PORT(Write, port, next_distances);
  std::uint32_t num_near = 0, nearest = kNoDistance;
  for (std::uint32_t i = 1; i <= num_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
    Word<std::uint64_t> word;
    read_from_stream(in, word);
    std::uint32_t num = 0, least[kCells];
    GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = least complete);
    for (int k = 0; k < kCells; ++k) {
      GASPIPE_PRAGMA(HLS UNROLL);
      const std::uint32_t cell = cell_of(word, k);
      const bool near = is_near(cell, limit);
      num += near;
      least[k] = cell >= kWaits && !near ? distance_of(cell) : kNoDistance;
    }
    halve<kCells / 2>(least);
    halve<kCells / 4>(least);
    halve<kCells / 8>(least);
    halve<kCells / 16>(least);
    num_near += num;
    if (least[0] < nearest) nearest = least[0];
    GASPIPE_WORD(port, i, num_words + 1);
    next_distances[i] = word;
  }
  Word<std::uint64_t> control = {};
  control.lane[DistanceLane::kNumNear] = num_near;
  control.lane[DistanceLane::kNearest] = nearest;
  GASPIPE_WORD(port, 0, 1);
  next_distances[0] = control;
}

}  // namespace gaspipe
