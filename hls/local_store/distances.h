// SPDX-License-Identifier: Apache-2.0
// Shortest paths by the PEs of local_store_bfs.h: what a PE keeps of its vertices, and which of them it sends.
//
// A vertex has a cell of 32 bits: its distance, and whether it waits, that is, has come nearer since it was last sent.
// Vertices that wait are in buckets of distance. A launch of the region is a phase: all that wait with a distance below
// `limit` are sent, once, with the distances that they had when it began. The top goes on to a higher limit where none
// is left below it (bucket.h), so a bucket may take several phases, and no vertex waits in a list, or twice.
//
// Vertex v of all is number v / P of PE v % P, so that vertices whose ids are near each other are of different PEs. A
// PE has in memory a control word and behind it its cells, 16 a word; their heads, eight a word, which say where a row
// begins (32 bits, in words) and how many edges it has (32 bits); and rows, eight edges a word, each a weight (32 bits)
// and a target (32 bits). Distances and weights are integers, or floating-point numbers.
// Method: U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", Journal of Algorithms
// 49(1), 2003, without its light and heavy edges.
#pragma once

#include "hls/module/source_property.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

constexpr std::uint32_t kNoDistance = (1u << 31) - 1;  // of 31 bits (length.h)
constexpr std::uint32_t kWaits = 1u << 31;
constexpr int kCells = 16, kHeads = 8;                             // of a word of memory
constexpr std::uint32_t kCellsPerWord = kCells, kCellsPerRow = 2;  // of memory outside, of banks on chip
constexpr std::uint32_t kHeadsPerLine = kHeads, kHeadLines = kCellsPerWord / kHeadsPerLine;
constexpr std::uint32_t kEdgesPerWord = 8, kEdgesPerRun = kEdgesPerWord * kRunLines;
constexpr std::uint32_t kMostSettled = 1u << 20;  // vertices of a PE

// Lanes of the control word: how many vertices wait below the limit of the phase that wrote it; the least distance of
// those that wait beyond, or kNoDistance.
struct DistanceLane {
  static constexpr int kNumNear = 0, kNearest = 1;
};

inline std::uint32_t distance_of(std::uint32_t cell) {
  GASPIPE_PRAGMA(HLS INLINE);
  return cell % kWaits;
}
inline bool is_near(std::uint32_t cell, std::uint32_t limit) {
  GASPIPE_PRAGMA(HLS INLINE);
  return cell >= kWaits && distance_of(cell) < limit;
}
template <class AnyWord>
std::uint32_t cell_of(const AnyWord& word, int k) {
  GASPIPE_PRAGMA(HLS INLINE);
  return static_cast<std::uint32_t>(word.lane[k / 2] >> (32 * (k % 2)));
}

inline std::uint64_t to_head(std::uint32_t first_word, std::uint32_t num_edges) {
  GASPIPE_PRAGMA(HLS INLINE);
  return std::uint64_t(first_word) << 32 | num_edges;
}
inline std::uint64_t to_edge(VertexId target, std::uint32_t weight) {
  GASPIPE_PRAGMA(HLS INLINE);
  return std::uint64_t(weight) << 32 | target;
}

// Cells with a vertex among them that is sent: a bit each.
struct NearGroup {
  Lanes<std::uint64_t> cells;
  std::uint16_t near;
  bool end;
};

// The cells, as they are when those that are sent no longer wait; then once more as they were, `scanned`, as fast as
// they are taken.
inline void readDistances(std::uint32_t num_words, std::uint32_t limit, const Word<std::uint64_t>* distances,
                          stream<Word<std::uint64_t>>& loaded, stream<Word<std::uint64_t>>& scanned) {
  GASPIPE_PORT(Read, port, distances);
  for (std::uint32_t i = 1; i <= num_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
    GASPIPE_WORD(port, i, num_words + 1);
    Word<std::uint64_t> word = distances[i];
    for (int k = 0; k < Word<std::uint64_t>::kSize; ++k) {
      GASPIPE_PRAGMA(HLS UNROLL);
      const std::uint32_t low = cell_of(word, 2 * k), high = cell_of(word, 2 * k + 1);
      const std::uint32_t sent_low = is_near(low, limit) ? distance_of(low) : low;
      const std::uint32_t sent_high = is_near(high, limit) ? distance_of(high) : high;
      word.lane[k] = std::uint64_t(sent_high) << 32 | sent_low;
    }
    write_to_stream(loaded, word);
  }
  for (std::uint32_t i = 1; i <= num_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
    GASPIPE_WORD(port, i, num_words + 1);
    write_to_stream(scanned, distances[i]);
  }
}

// A word of cells a cycle; a group where a vertex of it is sent.
inline void findNear(std::uint32_t num_words, std::uint32_t limit, stream<Word<std::uint64_t>>& scanned,
                     stream<LineRun>& runs, stream<NearGroup>& groups) {
  NearGroup group = {};
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = group.cells.lane complete);
  LineRun run;
  group.end = run.end = false;
  run.count = kHeadLines;
  for (std::uint32_t i = 0; i < num_words; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
    Word<std::uint64_t> word;
    read_from_stream(scanned, word);
    std::uint32_t near = 0;
    for (int k = 0; k < kCells; ++k) {
      GASPIPE_PRAGMA(HLS UNROLL);
      near |= std::uint32_t(is_near(cell_of(word, k), limit)) << k;
    }
    group.cells = word;
    group.near = static_cast<std::uint16_t>(near);
    run.first = i * kHeadLines;
    if (near != 0) {
      write_to_stream(runs, run);
      write_to_stream(groups, group);
    }
  }
  run.end = group.end = true;
  write_to_stream(runs, run);
  write_to_stream(groups, group);
}

// A vertex that is sent, and its row.
struct NearVertex {
  std::uint32_t distance, row, num_edges;
  bool has_edges, end;
};

// A vertex a cycle, or a line of heads without one.
inline void spreadNear(stream<NearGroup>& groups, stream<Word<std::uint64_t>>& heads, stream<NearVertex>& out) {
  NearGroup group = {};
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = group.cells.lane complete);
  Word<std::uint64_t> line = {};
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = line.lane complete);
  NearVertex vertex = {};
  std::uint8_t mask = 0, num_left = 0;  // vertices of the line; lines of the group
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 1048576);
    if (mask == 0) {
      if (num_left == 0) {
        read_from_stream(groups, group);
        if (group.end) break;
        num_left = kHeadLines;
      } else {
        for (int k = 0; k < kHeads / 2; ++k) {
          GASPIPE_PRAGMA(HLS UNROLL);
          group.cells.lane[k] = group.cells.lane[k + kHeads / 2];
        }
      }
      read_from_stream(heads, line);
      mask = static_cast<std::uint8_t>(group.near % (1 << kHeadsPerLine));
      group.near = static_cast<std::uint16_t>(group.near >> kHeadsPerLine);
      --num_left;
    }
    if (mask != 0) {
      std::uint32_t cell = 0;
      std::uint64_t head = 0;
      for (int k = kHeads - 1; k >= 0; --k) {
        GASPIPE_PRAGMA(HLS UNROLL);
        if ((mask >> k & 1) != 0) {
          head = line.lane[k];
          cell = cell_of(group.cells, k);
        }
      }
      vertex.distance = distance_of(cell);
      vertex.row = static_cast<std::uint32_t>(head >> 32);
      vertex.num_edges = static_cast<std::uint32_t>(head);
      vertex.has_edges = vertex.num_edges != 0;
      write_to_stream(out, vertex);
      mask = static_cast<std::uint8_t>(mask & (mask - 1));
    }
  }
  vertex.end = true;
  write_to_stream(out, vertex);
}

// Edges in a run of words, and the distance of their source.
struct EdgeRun {
  std::uint32_t distance;
  std::uint16_t num;
  bool end;
};

// A run of up to 64 words a cycle, or a vertex without edges, which goes no further.
inline void planEdges(stream<NearVertex>& in, stream<LineRun>& runs, stream<EdgeRun>& edge_runs) {
  NearVertex vertex = {};
  LineRun run;
  EdgeRun edges;
  bool takes = true;
  run.end = edges.end = false;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (takes) {
      read_from_stream(in, vertex);
      if (vertex.end) break;
    }
    takes = vertex.num_edges <= kEdgesPerRun;
    const std::uint32_t num = takes ? vertex.num_edges : kEdgesPerRun;
    run.first = vertex.row;
    run.count = (num + kEdgesPerWord - 1) / kEdgesPerWord;
    edges.distance = vertex.distance;
    edges.num = static_cast<std::uint16_t>(num);
    if (vertex.has_edges) {
      write_to_stream(runs, run);
      write_to_stream(edge_runs, edges);
    }
    vertex.row += run.count;
    vertex.num_edges -= num;
  }
  run.end = edges.end = true;
  write_to_stream(runs, run);
  write_to_stream(edge_runs, edges);
}

}  // namespace gaspipe
