// SPDX-License-Identifier: Apache-2.0
// Breadth-first search by an array of PEs with stores of their own, as it was made for the Cell: a launch is a level.
// Each PE owns a range of vertices; their lists, its queue and its bitmap are in a memory bank of its own. For PE p:
//
//   queue --> fetchQueue --> spreadCodes --> cutLists --> planLists --> loadLists (even, odd)
//                 |                                                               |
//                 |  wires[p][0 .. P-1] <-- dispatchLists <-- unpackLists <--------+
//               bitmap
//                 |  wires[q][p - q] --> exchangeCodes --> watchRows --+
//                 +--------------> markCodes, marks in UltraRAM <------+
//                                        |   \--> bitmap ---v
//                                        \--> packCodes --> commitCodes --> next_queue
//
// wires[p][s] leads from PE p to PE p + s (modulo P). All tasks of a PE work at a time: lists k + 1 are loaded while k
// are dispatched and received and what was found in k - 1 is stored, which are Cell's two periods; the FIFOs between
// are its double buffers. The region has no way back: the queue that a launch writes is what the next one reads, and
// the bitmap goes to memory and back between them (a cycle for 512 vertices), for no memory of the chip survives a
// launch. Why the streams between PEs cannot deadlock: hls/local_store/exchange.h.
// Method: D. P. Scarpazza, O. Villa, F. Petrini, "Efficient Breadth-First Search on the Cell/BE Processor", IEEE
// Transactions on Parallel and Distributed Systems 19(10), 2008, pages 1381-1395.
#pragma once

#include "hls/kernel/units.h"
#include "hls/local_store/commit.h"
#include "hls/local_store/dispatch.h"
#include "hls/local_store/exchange.h"
#include "hls/local_store/fetch.h"
#include "hls/local_store/gather.h"
#include "hls/local_store/mark.h"

namespace gaspipe {

constexpr int kQueueDepth = 128;  // words: bQ and bQnext, two bursts each
constexpr int kDescriptorDepth = 16;
constexpr int kListDepth = 128;  // words of an engine: bG, two bursts
constexpr int kCodeDepth = 16;
constexpr int kWireDepth = 8 * kPeriodTokens;  // a block RAM has 512 rows: two periods would take no fewer

// `units` PEs: 2, 4 or 8; each has at most Width::kMaxCapacity vertices. Of each array, every PE has its own. The first
// level is number 0. In the beginning of a search the root's PE has it in its queue and marked.
template <class Width, int units, class Read, class Written>
void local_store_bfs(const Read& queue, const Read& lists_even, const Read& lists_odd, const Written& next_queue,
                     std::uint32_t num_state_words, std::uint32_t level) {
  constexpr VertexId kCapacity = Width::kMaxCapacity;
  static_assert(kCapacity <= kMostOwned, "codes have an index of 24 bits");
  using Line = Word<std::uint64_t>;
  using Entries = WordToken<std::uint64_t>;
  using Count = std::uint32_t;

  GASPIPE_DATAFLOW;
  GASPIPE_STREAMS(Line, marks_in, units, kCodeDepth);
  GASPIPE_STREAMS(Line, marks_out, units, kCodeDepth);
  GASPIPE_STREAMS(Count, next_first, units, 2);
  GASPIPE_STREAMS(FetchedCodes, fetched, units, kQueueDepth);
  GASPIPE_STREAMS(FetchedCode, codes, units, kCodeDepth);
  GASPIPE_STREAMS(ListPiece, pieces, units, kDescriptorDepth);
  GASPIPE_STREAMS(ListDescriptor, even, units, kDescriptorDepth);
  GASPIPE_STREAMS(ListDescriptor, odd, units, kDescriptorDepth);
  GASPIPE_STREAMS(ListWord, even_words, units, kListDepth);
  GASPIPE_STREAMS(ListWord, odd_words, units, kListDepth);
  GASPIPE_STREAMS(OwnedCode, owned, units, kCodeDepth);
  GASPIPE_STREAMS(CodeMessage, wires, units * units, kWireDepth, kPeriodTokens);
  GASPIPE_STREAMS(CodeMessage, received, units, kCodeDepth);
  GASPIPE_STREAMS(MarkRequest, requests, units, kCodeDepth);
  GASPIPE_STREAMS(MarkedCode, found, units, kCodeDepth);
  GASPIPE_STREAMS(Entries, entries, units, kQueueDepth);

  for (int pe = 0; pe < units; ++pe) {
    GASPIPE_TASK_I(pe, fetchQueue(num_state_words, level, queue[pe], marks_in[pe], next_first[pe], fetched[pe]));
    GASPIPE_TASK_I(pe, spreadCodes(fetched[pe], codes[pe]));
    GASPIPE_TASK_I(pe, cutLists(codes[pe], pieces[pe]));
    GASPIPE_TASK_I(pe, planLists(pieces[pe], even[pe], odd[pe]));
    GASPIPE_TASK_I(pe, loadLists(lists_even[pe], even[pe], even_words[pe]));
    GASPIPE_TASK_I(pe, loadLists(lists_odd[pe], odd[pe], odd_words[pe]));
    GASPIPE_TASK_I(pe, unpackLists(even_words[pe], odd_words[pe], owned[pe]));
  }
  // From PE pe to itself, the next one, ...; and to pe from itself, the one before, ...
  if (units == 2) {
    for (int pe = 0; pe < units; ++pe) {
      GASPIPE_TASK_I(pe, dispatchLists(owned[pe], wires[2 * pe], wires[2 * pe + 1]));
      GASPIPE_TASK_I(pe, exchangeCodes(received[pe], wires[2 * pe], wires[2 * ((pe + 1) % 2) + 1]));
    }
  } else {
    if (units == 4) {
      for (int pe = 0; pe < units; ++pe) {
        GASPIPE_TASK_I(
            pe, dispatchLists(owned[pe], wires[4 * pe], wires[4 * pe + 1], wires[4 * pe + 2], wires[4 * pe + 3]));
        GASPIPE_TASK_I(pe, exchangeCodes(received[pe], wires[4 * pe], wires[4 * ((pe + 3) % 4) + 1],
                                         wires[4 * ((pe + 2) % 4) + 2], wires[4 * ((pe + 1) % 4) + 3]));
      }
    } else {
      for (int pe = 0; pe < units; ++pe) {
        GASPIPE_TASK_I(pe,
                       dispatchLists(owned[pe], wires[8 * pe], wires[8 * pe + 1], wires[8 * pe + 2], wires[8 * pe + 3],
                                     wires[8 * pe + 4], wires[8 * pe + 5], wires[8 * pe + 6], wires[8 * pe + 7]));
        GASPIPE_TASK_I(pe, exchangeCodes(received[pe], wires[8 * pe], wires[8 * ((pe + 7) % 8) + 1],
                                         wires[8 * ((pe + 6) % 8) + 2], wires[8 * ((pe + 5) % 8) + 3],
                                         wires[8 * ((pe + 4) % 8) + 4], wires[8 * ((pe + 3) % 8) + 5],
                                         wires[8 * ((pe + 2) % 8) + 6], wires[8 * ((pe + 1) % 8) + 7]));
      }
    }
  }
  for (int pe = 0; pe < units; ++pe) {
    GASPIPE_TASK_I(pe, watchRows(received[pe], requests[pe]));
    GASPIPE_TASK_I(pe, markCodes<kCapacity>(num_state_words, marks_in[pe], requests[pe], found[pe], marks_out[pe]));
    GASPIPE_TASK_I(pe, packCodes(level, found[pe], entries[pe]));
    GASPIPE_TASK_I(pe, commitCodes(num_state_words, level, next_first[pe], entries[pe], marks_out[pe], next_queue[pe]));
  }
  GASPIPE_RUN;
}

}  // namespace gaspipe
