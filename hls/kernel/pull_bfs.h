// SPDX-License-Identifier: Apache-2.0
// A level of a search by pulling, for the array of PEs of local_store_bfs.h: states and queues are the same, so that a
// level may be pushed or pulled. The top (pull_bfs.cpp.in) runs one region or the other, level by level, in one launch
// (hls/local_store/direction.h); ports of both share AXI masters. For PE p:
//
//   states --> readStates --frontier--> joinFrontier (p after p - 1) ... spreadFrontier (p after p + 1)
//                |    \--ahead--> planHeads --runs--> lineFetch            |               |
//                |                    \--groups--> pickHeads <--heads--/   v               |
//                |                      vertices /     \--sources--> lookUp                |
//                |                              v                      |                   |
//                |    +-------- answers -- answerHeads <---------------+                   v
//                |    |                         \--> planRows --> lineFetch --> spreadRows --> lookUp
//                |    v                                                                          |
//                |  joinAnswers <----------------------------------------------- answerRows <---+
//                |    \--> watchRows --\                             .
//                +-------- marks --> markCodes --> packCodes --> commitCodes --> next_queue
//
// A vertex has a head if it has sources; a PE's vertices are numbered so that those come first. The state that is
// written is the one that the frontier was taken from: the first is marked when all of the bitmap is on the chip.
// Method: S. Beamer, K. Asanovic, D. Patterson, "Direction-optimizing breadth-first search", SC 2012.
#pragma once

#include "hls/kernel/local_store_bfs.h"
#include "hls/local_store/direction.h"
#include "hls/local_store/pull.h"
#include "hls/module/line_fetch.h"

namespace gaspipe {

constexpr int kChainDepth = 16;    // words of the frontier, from PE to PE
constexpr int kAnswerDepth = 512;  // vertices whose heads have answered, behind one whose row is under way

// `units` PEs: 2, 4 or 8; each has at most Width::kMaxCapacity vertices, and `num_groups` groups of heads. Vertex v of
// all is number v % (512 (num_state_words - 1)) of PE v / (512 (num_state_words - 1)). `heads` and `rows` are one
// array.
template <class Width, int units, class Read, class Heads, class Written>
void pull_bfs(const Read& queue, const Heads& heads, const Heads& rows, const Written& next_queue,
              std::uint32_t num_state_words, std::uint32_t level, std::uint32_t num_groups) {
  constexpr VertexId kCapacity = Width::kMaxCapacity;
  using Line = Word<std::uint64_t>;
  using SourceWord = Word<std::uint32_t>;
  using Entries = WordToken<std::uint64_t>;
  using Count = std::uint32_t;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAMS(Line, marks_in, units, kCodeDepth);
  GASPIPE_STREAMS(Line, marks_ahead, units, kCodeDepth);
  GASPIPE_STREAMS(Line, marks_out, units, kCodeDepth);
  GASPIPE_STREAMS(Count, next_first, units, 2);
  GASPIPE_STREAMS(Line, own, units - 1, kChainDepth);
  GASPIPE_STREAMS(Line, joined, units - 1, kChainDepth);
  GASPIPE_STREAMS(Line, spread, units, kChainDepth);
  GASPIPE_STREAMS(Line, frontier_of_heads, units, kChainDepth);
  GASPIPE_STREAMS(Line, frontier_of_rows, units, kChainDepth);
  GASPIPE_STREAMS(LineRun, head_runs, units, kDescriptorDepth);
  GASPIPE_STREAMS(HeadGroup, groups, units, 2 * kDescriptorDepth);
  GASPIPE_STREAMS(SourceWord, head_words, units, kListDepth);
  GASPIPE_STREAMS(PulledSource, head_sources, units, kCodeDepth);
  GASPIPE_STREAMS(PulledVertex, vertices, units, 2 * kCodeDepth);
  GASPIPE_STREAMS(FoundSource, found_heads, units, kCodeDepth);
  GASPIPE_STREAMS(HeadAnswer, answers, units, kAnswerDepth);
  GASPIPE_STREAMS(PulledVertex, asked, units, kCodeDepth);
  GASPIPE_STREAMS(LineRun, row_lines, units, kDescriptorDepth);
  GASPIPE_STREAMS(RowRun, row_runs, units, 8 * kDescriptorDepth);
  GASPIPE_STREAMS(SourceWord, row_words, units, kListDepth);
  GASPIPE_STREAMS(PulledSource, row_sources, units, kCodeDepth);
  GASPIPE_STREAMS(FoundSource, found_in_rows, units, kCodeDepth);
  GASPIPE_STREAMS(FoundSource, of_rows, units, kCodeDepth);
  GASPIPE_STREAMS(CodeMessage, received, units, kCodeDepth);
  GASPIPE_STREAMS(MarkRequest, requests, units, kCodeDepth);
  GASPIPE_STREAMS(MarkedCode, found, units, kCodeDepth);
  GASPIPE_STREAMS(Entries, entries, units, kQueueDepth);

  // Stream p of `joined` has the words of PEs 0 to p, stream p of `spread` those of all on their way to PE p.
  GASPIPE_TASK(readStates(num_state_words, level, queue[0], marks_in[0], next_first[0], joined[0], marks_ahead[0]));
  for (int pe = 1; pe < units; ++pe) {
    GASPIPE_TASK_I(
        pe, readStates(num_state_words, level, queue[pe], marks_in[pe], next_first[pe], own[pe - 1], marks_ahead[pe]));
  }
  for (int pe = 1; pe < units - 1; ++pe) {
    GASPIPE_TASK_I(pe, joinFrontier(num_state_words, pe, joined[pe - 1], own[pe - 1], joined[pe]));
  }
  for (int pe = units - 1; pe < units; ++pe) {
    GASPIPE_TASK_I(pe, joinFrontier(num_state_words, pe, joined[pe - 1], own[pe - 1], spread[pe]));
  }
  for (int pe = 1; pe < units; ++pe) {
    GASPIPE_TASK_I(pe, spreadFrontier(num_state_words, units, spread[pe], frontier_of_heads[pe], frontier_of_rows[pe],
                                      spread[pe - 1]));
  }
  GASPIPE_TASK(spreadFrontier(num_state_words, units, spread[0], frontier_of_heads[0], frontier_of_rows[0]));
  for (int pe = 0; pe < units; ++pe) {
    GASPIPE_TASK_I(pe, planHeads(num_state_words, num_groups, marks_ahead[pe], head_runs[pe], groups[pe]));
    GASPIPE_TASK_I(pe, lineFetch<VertexId>(heads[pe], 1, head_runs[pe], head_words[pe]));
    GASPIPE_TASK_I(pe, pickHeads(groups[pe], head_words[pe], head_sources[pe], vertices[pe]));
    GASPIPE_TASK_I(pe,
                   lookUp<kCapacity, units>(num_state_words, frontier_of_heads[pe], head_sources[pe], found_heads[pe]));
    GASPIPE_TASK_I(pe, answerHeads(vertices[pe], found_heads[pe], answers[pe], asked[pe]));
    GASPIPE_TASK_I(pe, planRows(asked[pe], row_lines[pe], row_runs[pe]));
    GASPIPE_TASK_I(pe, lineFetch<VertexId>(rows[pe], 1, row_lines[pe], row_words[pe]));
    GASPIPE_TASK_I(pe, spreadRows(row_runs[pe], row_words[pe], row_sources[pe]));
    GASPIPE_TASK_I(pe,
                   lookUp<kCapacity, units>(num_state_words, frontier_of_rows[pe], row_sources[pe], found_in_rows[pe]));
    GASPIPE_TASK_I(pe, answerRows(found_in_rows[pe], of_rows[pe]));
    GASPIPE_TASK_I(pe, joinAnswers(answers[pe], of_rows[pe], received[pe]));
    GASPIPE_TASK_I(pe, watchRows(received[pe], requests[pe]));
    GASPIPE_TASK_I(pe, markCodes<kCapacity>(num_state_words, marks_in[pe], requests[pe], found[pe], marks_out[pe]));
    GASPIPE_TASK_I(pe, packCodes(level, found[pe], entries[pe]));
    GASPIPE_TASK_I(pe, commitCodes(num_state_words, level, next_first[pe], entries[pe], marks_out[pe], next_queue[pe]));
  }
  GASPIPE_RUN;
}

}  // namespace gaspipe
