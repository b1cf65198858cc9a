// SPDX-License-Identifier: Apache-2.0
// What the PEs of Cell's search hold, send and store: vertex codes, lists, messages.
//
// A vertex code is 64 bits, so that a list is read without looking up where it is: the place of the vertex's list in
// its owner's memory (32 bits, in words), how many words it has (8 bits) and the vertex's index among those of its
// owner (24 bits). A length of 255 words or more has the escape value; the list's first word has the real one.
//
// A list is a header word and the codes of the targets, eight a word, split by owner as those of the CPU are
// (gaspipe/local_store/split_lists.h) and padded to a word of the port: 64 bytes in place of 16. The owners come in a
// circular order that begins with the list's own PE, so PE p of P sends to p, p + 1, ..., p - 1.
// Method: D. P. Scarpazza, O. Villa, F. Petrini, "Efficient Breadth-First Search on the Cell/BE Processor", IEEE
// Transactions on Parallel and Distributed Systems 19(10), 2008, pages 1381-1395.
#pragma once

#include "hls/module/tokens.h"
#include "hls/platform.h"
#include "hls/stream.h"

namespace gaspipe {

using ListCode = std::uint64_t;

constexpr int kIndexBits = 24, kListWordsBits = 8;
constexpr std::uint32_t kMostOwned = 1u << kIndexBits;  // vertices of a PE
constexpr std::uint32_t kEscapedWords = (1u << kListWordsBits) - 1;
constexpr int kMostPes = 8;  // of an array: a header has room for so many owners

inline ListCode make_list_code(std::uint32_t index, std::uint32_t num_words, std::uint32_t place) {
  GASPIPE_PRAGMA(HLS INLINE);
  const std::uint32_t words = num_words < kEscapedWords ? num_words : kEscapedWords;
  return ListCode(place) << 32 | ListCode(words) << kIndexBits | index;
}
inline std::uint32_t code_index(ListCode code) {
  GASPIPE_PRAGMA(HLS INLINE);
  return static_cast<std::uint32_t>(code) % kMostOwned;
}
inline std::uint32_t code_words(ListCode code) {
  GASPIPE_PRAGMA(HLS INLINE);
  return static_cast<std::uint32_t>(code) >> kIndexBits;
}
// How long the list is where nothing has been read of it: with the escape value about a thousand words.
inline std::uint32_t likely_words(ListCode code) {
  GASPIPE_PRAGMA(HLS INLINE);
  const std::uint32_t words = code_words(code);
  return words == kEscapedWords ? 4 * (kEscapedWords + 1) : words;
}
inline std::uint32_t code_place(ListCode code) {
  GASPIPE_PRAGMA(HLS INLINE);
  return static_cast<std::uint32_t>(code >> 32);
}

// The first word of a list. `end[s]`: codes of the first s + 1 owners; the last one is the list's length.
struct ListHeader {
  std::uint32_t end[kMostPes];
  VertexId vertex;          // whose list it is: the targets' parent
  std::uint32_t num_words;  // of the list, this one too
};
constexpr int kCodesPerWord = 8;

inline Word<std::uint64_t> to_word(const ListHeader& header) {
  GASPIPE_PRAGMA(HLS INLINE);
  Word<std::uint64_t> word = {};
  for (int i = 0; i < kMostPes / 2; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    word.lane[i] = std::uint64_t(header.end[2 * i + 1]) << 32 | header.end[2 * i];
  }
  word.lane[kMostPes / 2] = std::uint64_t(header.num_words) << 32 | header.vertex;
  return word;
}
template <class AnyWord>
std::uint32_t list_words(const AnyWord& word) {
  GASPIPE_PRAGMA(HLS INLINE);
  return static_cast<std::uint32_t>(word.lane[kMostPes / 2] >> 32);
}
template <class AnyWord>
ListHeader list_header(const AnyWord& word) {
  GASPIPE_PRAGMA(HLS INLINE);
  ListHeader header;
  for (int i = 0; i < kMostPes; ++i) {
    GASPIPE_PRAGMA(HLS UNROLL);
    header.end[i] = static_cast<std::uint32_t>(word.lane[i / 2] >> (32 * (i % 2)));
  }
  header.vertex = static_cast<VertexId>(word.lane[kMostPes / 2]);
  header.num_words = list_words(word);
  return header;
}

// Queues hold entries of 16 bytes: the code of a vertex, the vertex that it was found from (32 bits), and the level of
// that one (32 bits), counted from 1. The entries of a level begin with a word; what fills its last word up has level
// 0, or comes twice.
constexpr std::uint32_t kEntriesPerWord = 4;

// What a PE keeps between two levels: a control word, and its vertices' bitmap behind it. The control word's lanes: the
// first word of the queue's entries of this level, how many they are, and how many words their lists have
// (likely_words). A PE's array begins with two states, of which level l reads number l % 2 and writes the other; the
// queue follows.
struct ControlLane {
  static constexpr int kFirstWord = 0, kNumEntries = 1, kListWords = 2;
};
constexpr std::uint32_t kMarksPerWord = 512, kMarksPerRow = 64;  // of memory outside, of the bitmap on chip
constexpr std::uint32_t state_words(std::uint32_t num_owned) {
  return 1 + (num_owned + kMarksPerWord - 1) / kMarksPerWord;
}

template <class Token, class... Streams>
void write_to_all(const Token& token, Streams&... streams) {
  GASPIPE_PRAGMA(HLS INLINE);
  const int written[] = {write_to_stream(streams, token)...};
  (void)written;
}

// A vertex on its way to its owner, or a sentinel.
struct CodeMessage {
  ListCode code;
  VertexId parent;
  bool end;   // of a period: no vertex
  bool last;  // of the level: its sender sends no more
};

}  // namespace gaspipe
