// SPDX-License-Identifier: Apache-2.0
// Step 3 of Cell's search: the lists in bG are divided among the streams to their targets' owners. The header of a list
// says where each owner's codes end, so no target is looked at.
//
// A stream is the sender's Qout and the receiver's Qin in one. A period ends when some stream has got kPeriodCodes
// codes, or with the lists; every stream then gets a sentinel, behind its codes, where the order of a FIFO keeps it.
// Streams have room for several periods: while one is received the next ones are filled, and a PE that has more to do
// in one period than others does not hold these up.
#pragma once

#include "hls/local_store/code.h"
#include "hls/local_store/gather.h"

namespace gaspipe {

constexpr std::uint32_t kPeriodCodes = 63;                 // to one owner
constexpr std::uint32_t kPeriodTokens = kPeriodCodes + 1;  // and the sentinel

// Writes to number `which` of the streams.
template <class Message, class... Streams>
void write_to_one(std::uint32_t which, const Message& message, Streams&... streams) {
  GASPIPE_PRAGMA(HLS INLINE);
  std::uint32_t i = 0;
  const int written[] = {(which == i++ ? write_to_stream(streams, message) : 0)...};
  (void)written;
}

// Codes of periods, as they leave a PE: the leaf of dispatchLists.
struct PeriodCounts {
  std::uint8_t num[kMostPes];  // of the period, by stream

  void start() {
    GASPIPE_PRAGMA(HLS INLINE);
    for (int s = 0; s < kMostPes; ++s) {
      GASPIPE_PRAGMA(HLS UNROLL);
      num[s] = 0;
    }
  }
  // Takes a code for a stream; whether that ends the period.
  bool count(std::uint32_t stream) {
    GASPIPE_PRAGMA(HLS INLINE);
    bool is_full = false;
    for (std::uint32_t s = 0; s < kMostPes; ++s) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (s == stream) is_full = ++num[s] == kPeriodCodes;
    }
    return is_full;
  }
};

// The owner of code `at` of a list, counted from the list's own PE on.
inline std::uint32_t owner_of(const ListHeader& header, std::uint32_t at) {
  GASPIPE_PRAGMA(HLS INLINE);
  std::uint32_t owner = 0;
  for (int s = 0; s + 1 < kMostPes; ++s) {
    GASPIPE_PRAGMA(HLS UNROLL);
    owner += at >= header.end[s];
  }
  return owner;
}

// A code of a list, for number `owner` of the streams.
struct OwnedCode {
  using Message = CodeMessage;
  ListCode code;
  VertexId parent;
  std::uint8_t owner;
  bool end;

  void put(Message& message) const {
    GASPIPE_PRAGMA(HLS INLINE);
    message.code = code;
    message.parent = parent;
  }
};

// A code a cycle, and one more per list. The words of descriptors come from the engines by turns.
inline void unpackLists(stream<ListWord>& even, stream<ListWord>& odd, stream<OwnedCode>& out) {
  ListWord word;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = word.word.lane complete);
  ListHeader header = {};
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = header.end complete);
  OwnedCode token = {};
  std::uint32_t at = 0, left = 0;  // codes of the list
  bool is_odd = false, takes_word = true, takes_header = true;
  word.done = false;
  while (!word.done) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 268435456);
    if (takes_word) {
      if (is_odd) {
        read_from_stream(odd, word);
      } else {
        read_from_stream(even, word);
      }
      is_odd = is_odd != (word.end && !word.done);
    }
    if (takes_header) {  // or the end
      header = list_header(word.word);
      left = header.end[kMostPes - 1];
      at = 0;
      takes_word = true;
      takes_header = false;
    } else {
      token.code = word.word.lane[at % kCodesPerWord];
      token.parent = header.vertex;
      token.owner = static_cast<std::uint8_t>(owner_of(header, at));
      write_to_stream(out, token);
      takes_header = left == 1;
      takes_word = at % kCodesPerWord == kCodesPerWord - 1 || takes_header;
      ++at;
      --left;
    }
  }
  token.end = true;
  write_to_stream(out, token);
  // The other engine has ended as well.
  if (is_odd) {
    read_from_stream(even, word);
  } else {
    read_from_stream(odd, word);
  }
}

// A code a cycle, and one more per period. `out`: the streams to the PEs, this one's own first. `Owned`: OwnedCode, or
// what else has an owner, an end and a message to put itself in.
template <class Owned, class... Out>
void dispatchLists(stream<Owned>& in, Out&... out) {
  PeriodCounts counts;
  GASPIPE_PRAGMA(HLS ARRAY_PARTITION variable = counts.num complete);
  Owned token;
  typename Owned::Message message = {};
  bool is_full = false;
  counts.start();
  token.end = false;
  while (!message.last) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 268435456);
    if (is_full || token.end) {
      message.end = true;
      message.last = token.end;
      write_to_all(message, out...);
      message.end = is_full = false;
      counts.start();
    } else {
      read_from_stream(in, token);
      if (!token.end) {
        token.put(message);
        write_to_one(token.owner, message, out...);
        is_full = counts.count(token.owner);
      }
    }
  }
}

}  // namespace gaspipe
