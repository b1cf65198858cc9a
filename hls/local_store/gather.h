// SPDX-License-Identifier: Apache-2.0
// Step 2 of Cell's search: codes become descriptors of what to read, as the entries of a DMA list, and two burst
// engines read these by turns, each through a port of its own: while one waits for its first word the other delivers.
// The FIFOs behind them are bG.
//
// A descriptor is at most kBurstWords words in one page of 4 KB, hence one AXI burst (AXI has at most 256 beats, and
// none across 4 KB; 4 KB are 64 beats of 512 bits). Lists that follow each other in memory share descriptors. A list
// whose code has the escape value is one descriptor: the engine finds its length in its first word, and the port cuts
// what follows into bursts.
#pragma once

#include "hls/local_store/code.h"
#include "hls/local_store/fetch.h"

namespace gaspipe {

constexpr std::uint32_t kBurstWords = 64;

// Words [first, first + num) of the lists.
struct ListDescriptor {
  std::uint32_t first, num;
  bool is_escaped;  // the word at `first` says how many they are
  bool end;
};
struct ListWord {
  Lanes<std::uint64_t> word;
  bool end;   // of a descriptor
  bool done;  // no word: none comes any more
};

// A code, or a page of a long list, per cycle. Descriptors go to the engines by turns.
inline void planLists(stream<FetchedCodes>& in, stream<ListDescriptor>& even, stream<ListDescriptor>& odd) {
  FetchedCodes codes = {};
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = codes.code complete);
  ListDescriptor open = {};              // may still grow
  std::uint32_t at = 0, left = 0;        // words of the list that are to be planned
  bool is_open = false, is_odd = false;  // a descriptor is open; whose turn it is
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    bool is_escaped = false;
    if (left == 0) {
      if (codes.num == 0) read_from_stream(in, codes);
      if (codes.end) break;
      at = code_place(codes.code[0]);
      left = code_words(codes.code[0]);
      is_escaped = left == kEscapedWords;
      for (std::uint32_t k = 0; k + 1 < kEntriesPerWord; ++k) {
        GASPIPE_PRAGMA(HLS UNROLL);
        codes.code[k] = codes.code[k + 1];
      }
      --codes.num;
    }
    const std::uint32_t in_page = kBurstWords - at % kBurstWords;
    const std::uint32_t num = is_escaped || left < in_page ? left : in_page;
    const bool follows = is_open && at == open.first + open.num && at % kBurstWords != 0;
    if (num != 0 && follows && !is_escaped && !open.is_escaped) {
      open.num += num;
    } else if (num != 0) {
      if (is_open && is_odd) write_to_stream(odd, open);
      if (is_open && !is_odd) write_to_stream(even, open);
      is_odd = is_odd != is_open;
      open.first = at;
      open.num = num;
      open.is_escaped = is_escaped;
      is_open = true;
    }
    at += num;
    left -= num;
  }
  if (is_open && is_odd) write_to_stream(odd, open);
  if (is_open && !is_odd) write_to_stream(even, open);
  open.end = true;
  write_to_stream(even, open);
  write_to_stream(odd, open);
}

// A burst engine. The pipeline of a descriptor drains before the next is read, so its latency is paid once each.
inline void loadLists(const Word<std::uint64_t>* lists, stream<ListDescriptor>& in, stream<ListWord>& out) {
  GASPIPE_PORT(Read, port, lists);
  ListDescriptor descriptor;
  ListWord token;
  token.end = token.done = false;
  read_from_stream(in, descriptor);
  while (!descriptor.end) {
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 0 max = 16777216);
    std::uint32_t first = descriptor.first, last = descriptor.first + descriptor.num;
    if (descriptor.is_escaped) {
      GASPIPE_WORD(port, first, first + 1);
      token.word = lists[first];
      token.end = false;
      write_to_stream(out, token);
      last = first + list_words(token.word);
      ++first;
    }
    for (std::uint32_t i = first; i < last; ++i) {
      GASPIPE_PIPELINE(1);
      GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 65536);
      GASPIPE_WORD(port, i, last);
      token.word = lists[i];
      token.end = i + 1 == last;
      write_to_stream(out, token);
    }
    read_from_stream(in, descriptor);
  }
  token.done = true;
  write_to_stream(out, token);
}

}  // namespace gaspipe
