// SPDX-License-Identifier: Apache-2.0
// Pulling: every vertex without a mark looks whether one of its sources is in the frontier, and goes no further once
// one is. Its sources lie with the likeliest first, the one with the most out-edges. That one is in the vertex's head,
// and heads follow each other in memory; the others are a row of their own, which is asked for where the first was no
// hit.
//
// A head is 16 bytes: the first source; the first word of the row; the place of the vertex's list, as its code has it;
// the list's words (8 bits) and above the row's sources (24 bits). A row has 16 sources a word.
// Method: S. Beamer, K. Asanovic, D. Patterson, "Direction-optimizing breadth-first search", SC 2012.
#pragma once

#include "hls/local_store/code.h"
#include "hls/local_store/frontier.h"

namespace gaspipe {

constexpr std::uint32_t kHeadsPerWord = 4, kHeadWordsPerGroup = 16;
constexpr std::uint32_t kHeadsPerGroup = kHeadsPerWord * kHeadWordsPerGroup;  // as many as a row of the bitmap
static_assert(kHeadsPerGroup == kMarksPerRow, "a group is a row");
constexpr std::uint32_t kMostPulled = 1u << 23;  // vertices of a PE
constexpr int kRowSourcesBits = 32 - kListWordsBits;
constexpr std::uint32_t kMostRowSources = (1u << kRowSourcesBits) - 1, kSourcesPerWord = 16;
constexpr std::uint32_t kSourcesPerRun = 1024;  // 64 words: 4 KB, the most AXI allows

struct HeadLane {
  static constexpr int kSource = 0, kRow = 1, kPlace = 2, kLengths = 3, kNum = 4;
};

// Heads with a vertex among them that has no mark: from vertex `first` of the PE on, a bit each.
struct HeadGroup {
  std::uint64_t unmarked;
  std::uint32_t first;
  bool end;
};

// A vertex without a mark, and the rest of its sources.
struct PulledVertex {
  ListCode code;
  std::uint32_t row, num_sources;
  bool end;
};

// What its first source was; `asks` for the row where that was no hit and there is one.
struct HeadAnswer {
  ListCode code;
  VertexId parent;
  bool found, asks, end;
};

// Sources in a run of words, and whether the vertex has no more.
struct RowRun {
  std::uint16_t num;
  bool last, end;
};

// A row of the bitmap a cycle; a group where a vertex of it has no mark. Vertices behind the last group have no
// sources.
inline void planHeads(std::uint32_t num_state_words, std::uint32_t num_groups, stream<Word<std::uint64_t>>& marks,
                      stream<LineRun>& runs, stream<HeadGroup>& groups) {
  Word<std::uint64_t> word = {};
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = word.lane complete);
  const std::uint32_t num_rows = (num_state_words - 1) * Word<std::uint64_t>::kSize;
  HeadGroup group;
  LineRun run;
  group.end = run.end = false;
  run.count = kHeadWordsPerGroup;
  for (std::uint32_t i = 0; i < num_rows; ++i) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 8 max = 262144);
    if (i % Word<std::uint64_t>::kSize == 0) read_from_stream(marks, word);
    group.unmarked = ~word.lane[0];
    group.first = i * kHeadsPerGroup;
    run.first = i * kHeadWordsPerGroup;
    if (i < num_groups && group.unmarked != 0) {
      write_to_stream(runs, run);
      write_to_stream(groups, group);
    }
    for (int k = 0; k + 1 < Word<std::uint64_t>::kSize; ++k) {
      GASPIPE_PRAGMA(HLS UNROLL);
      word.lane[k] = word.lane[k + 1];
    }
  }
  run.end = group.end = true;
  write_to_stream(runs, run);
  write_to_stream(groups, group);
}

// A vertex a cycle, or a word of heads without one.
inline void pickHeads(stream<HeadGroup>& groups, stream<Word<std::uint32_t>>& heads, stream<PulledSource>& sources,
                      stream<PulledVertex>& vertices) {
  HeadGroup group = {};
  Word<std::uint32_t> word = {};
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = word.lane complete);
  PulledSource source;
  PulledVertex vertex = {};
  std::uint32_t index = 0;    // of the word's first vertex
  std::uint8_t mask = 0;      // those of the word that are left
  std::uint8_t num_left = 0;  // words of the group
  source.last = true;
  source.end = false;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (mask == 0) {
      if (num_left == 0) {
        read_from_stream(groups, group);
        if (group.end) break;
        index = group.first;
        num_left = kHeadWordsPerGroup;
      } else {
        index += kHeadsPerWord;
      }
      read_from_stream(heads, word);
      mask = static_cast<std::uint8_t>(group.unmarked % (1 << kHeadsPerWord));
      group.unmarked >>= kHeadsPerWord;
      --num_left;
    }
    if (mask != 0) {
      const std::uint32_t k = (mask & 1) != 0 ? 0 : (mask & 2) != 0 ? 1 : (mask & 4) != 0 ? 2 : 3;
      std::uint32_t head[HeadLane::kNum];
      GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = head complete);
      for (int lane = 0; lane < HeadLane::kNum; ++lane) {
        GASPIPE_PRAGMA(HLS UNROLL);
        head[lane] = word.lane[k * HeadLane::kNum + static_cast<std::uint32_t>(lane)];
      }
      const std::uint32_t lengths = head[HeadLane::kLengths];
      vertex.code = make_list_code(index + k, lengths % (1u << kListWordsBits), head[HeadLane::kPlace]);
      vertex.row = head[HeadLane::kRow];
      vertex.num_sources = lengths >> kListWordsBits;
      source.source = head[HeadLane::kSource];
      write_to_stream(sources, source);
      write_to_stream(vertices, vertex);
      mask = static_cast<std::uint8_t>(mask & (mask - 1));
    }
  }
  source.end = vertex.end = true;
  write_to_stream(sources, source);
  write_to_stream(vertices, vertex);
}

// A vertex a cycle.
inline void answerHeads(stream<PulledVertex>& vertices, stream<FoundSource>& found, stream<HeadAnswer>& answers,
                        stream<PulledVertex>& asked) {
  PulledVertex vertex;
  FoundSource first;
  HeadAnswer answer;
  vertex.end = false;
  while (!vertex.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    read_from_stream(vertices, vertex);
    read_from_stream(found, first);
    answer.code = vertex.code;
    answer.parent = first.source;
    answer.found = first.found;
    answer.asks = !first.found && vertex.num_sources != 0 && !vertex.end;
    answer.end = vertex.end;
    write_to_stream(answers, answer);
    if (answer.asks || vertex.end) write_to_stream(asked, vertex);
  }
}

// A run of up to 64 words a cycle.
inline void planRows(stream<PulledVertex>& asked, stream<LineRun>& runs, stream<RowRun>& row_runs) {
  PulledVertex vertex = {};
  LineRun run;
  RowRun row;
  run.end = row.end = false;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (vertex.num_sources == 0) {
      read_from_stream(asked, vertex);
      if (vertex.end) break;
    }
    row.last = vertex.num_sources <= kSourcesPerRun;
    const std::uint32_t num = row.last ? vertex.num_sources : kSourcesPerRun;
    run.first = vertex.row;
    run.count = (num + kSourcesPerWord - 1) / kSourcesPerWord;
    row.num = static_cast<std::uint16_t>(num);
    write_to_stream(runs, run);
    write_to_stream(row_runs, row);
    vertex.row += run.count;
    vertex.num_sources -= num;
  }
  run.end = row.end = true;
  write_to_stream(runs, run);
  write_to_stream(row_runs, row);
}

// A source a cycle.
inline void spreadRows(stream<RowRun>& row_runs, stream<Word<std::uint32_t>>& rows, stream<PulledSource>& out) {
  RowRun row = {};
  Word<std::uint32_t> word = {};
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = word.lane complete);
  PulledSource token;
  std::uint8_t at = 0;  // of the word
  token.end = false;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 268435456);
    if (row.num == 0) {
      read_from_stream(row_runs, row);
      if (row.end) break;
      at = 0;
    }
    if (at == 0) read_from_stream(rows, word);
    --row.num;
    token.source = word.lane[0];
    token.last = row.num == 0 && row.last;
    write_to_stream(out, token);
    for (int k = 0; k + 1 < Word<std::uint32_t>::kSize; ++k) {
      GASPIPE_PRAGMA(HLS UNROLL);
      word.lane[k] = word.lane[k + 1];
    }
    at = static_cast<std::uint8_t>((at + 1) % kSourcesPerWord);
  }
  token.last = token.end = true;
  write_to_stream(out, token);
}

// Of a row the first source that is in the frontier. A source a cycle.
inline void answerRows(stream<FoundSource>& in, stream<FoundSource>& out) {
  FoundSource token, first = {};
  token.end = false;
  while (!token.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 268435456);
    read_from_stream(in, token);
    if (!first.found) {
      first.source = token.source;
      first.found = token.found;
    }
    if (token.last) {
      first.end = token.end;
      write_to_stream(out, first);
      first.found = false;
    }
  }
}

// Vertices that were found, in their order, from their heads or their rows. An answer a cycle.
inline void joinAnswers(stream<HeadAnswer>& heads, stream<FoundSource>& rows, stream<CodeMessage>& out) {
  HeadAnswer answer;
  CodeMessage message;
  answer.end = false;
  while (!answer.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    read_from_stream(heads, answer);
    FoundSource row;
    row.source = answer.parent;
    row.found = answer.found;
    if (answer.asks || answer.end) read_from_stream(rows, row);
    message.code = answer.code;
    message.parent = row.source;
    message.end = message.last = answer.end;
    if (row.found || answer.end) write_to_stream(out, message);
  }
}

}  // namespace gaspipe
