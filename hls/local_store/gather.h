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

// Part of a list, in one page. `follows`: it begins where the part before ends, and not with a page.
struct ListPiece {
  std::uint32_t first, num;
  bool follows, is_escaped, end;
};

struct FetchedCode {
  ListCode code;
  bool end;
};

// One of the queue's codes per cycle.
inline void spreadCodes(stream<FetchedCodes>& in, stream<FetchedCode>& out) {
  FetchedCodes codes = {};
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = codes.code complete);
  FetchedCode token;
  bool takes = true;
  token.end = false;
  while (!token.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    if (takes) read_from_stream(in, codes);
    token.code = codes.code[0];
    token.end = codes.end;
    write_to_stream(out, token);
    takes = codes.num == 1;
    --codes.num;
    for (std::uint32_t k = 0; k + 1 < kEntriesPerWord; ++k) {
      GASPIPE_PRAGMA(HLS UNROLL);
      codes.code[k] = codes.code[k + 1];
    }
  }
}

// A code, or a page of a long list, per cycle. What follows what is found here, where nothing is fed back from it.
inline void cutLists(stream<FetchedCode>& in, stream<ListPiece>& out) {
  ListPiece piece = {};
  std::uint32_t end_of_last = 0, next_page = 0;
  std::uint8_t left = 0;  // words of the list from there on
  bool takes = true;
  while (true) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    std::uint8_t num;
    if (takes) {
      FetchedCode token;
      read_from_stream(in, token);
      if (token.end) break;
      const std::uint32_t place = code_place(token.code);
      const std::uint8_t words = static_cast<std::uint8_t>(code_words(token.code));
      const std::uint8_t in_page = static_cast<std::uint8_t>(kBurstWords - place % kBurstWords);
      piece.is_escaped = words == kEscapedWords;
      takes = piece.is_escaped || words <= in_page;
      num = takes ? words : in_page;
      left = static_cast<std::uint8_t>(words - num);
      piece.first = place;
      piece.follows = place == end_of_last && place % kBurstWords != 0;
      next_page = (place / kBurstWords + 1) * kBurstWords;
    } else {
      takes = left <= kBurstWords;
      num = takes ? left : std::uint8_t(kBurstWords);
      left = static_cast<std::uint8_t>(left - kBurstWords);
      piece.first = next_page;
      piece.follows = piece.is_escaped = false;
      next_page += kBurstWords;
    }
    piece.num = num;
    if (num != 0) {
      end_of_last = piece.first + num;
      write_to_stream(out, piece);
    }
  }
  piece.end = true;
  write_to_stream(out, piece);
}

// A piece a cycle. Descriptors go to the engines by turns.
inline void planLists(stream<ListPiece>& in, stream<ListDescriptor>& even, stream<ListDescriptor>& odd) {
  ListPiece piece;
  ListDescriptor open = {};              // may still grow
  std::uint8_t num = 0;                  // its words
  bool is_open = false, is_odd = false;  // there is one; whose turn it is
  piece.end = false;
  while (!piece.end) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 16777216);
    read_from_stream(in, piece);
    const bool grows = is_open && piece.follows && !piece.is_escaped && !open.is_escaped && !piece.end;
    if (!grows && is_open) {
      open.num = num;
      if (is_odd) {
        write_to_stream(odd, open);
      } else {
        write_to_stream(even, open);
      }
      is_odd = !is_odd;
    }
    num = static_cast<std::uint8_t>(grows ? num + piece.num : piece.num);
    if (!grows) {
      open.first = piece.first;
      open.is_escaped = piece.is_escaped;
    }
    is_open = true;
  }
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
