// SPDX-License-Identifier: Apache-2.0
// Step 4 of Cell's search: a PE receives what all PEs send it, period by period, in a circular order: itself first,
// then the PE before it, and so on. At any time each PE sends to another one. Reads block, so what is received in which
// order, and hence every parent, does not depend on timing.
//
// Why P x P streams of kPeriodTokens places cannot deadlock. A sender is in period k while it writes what belongs to k,
// sentinels included; a receiver while it reads that. Suppose all that go on wait, and take the receiver whose period k
// is the least. What follows a receiver (marking, memory) always goes on, so it waits for a sender that has not ended
// period k. That sender waits for room in a stream, for what comes before a sender (memory, descriptors) always goes on
// too. A period writes at most kPeriodTokens tokens to a stream; the stream is full, and the token for which there is
// no room is one more of the sender's period, so some token in it is of a period before k. Then its receiver is in a
// period before k, and k is not the least.
#pragma once

#include "hls/local_store/code.h"

namespace gaspipe {

// Reads from number `which` of the streams.
template <class Message, class... Streams>
void read_from_one(std::uint32_t which, Message& message, Streams&... streams) {
  GASPIPE_PRAGMA(HLS INLINE);
  std::uint32_t i = 0;
  const int read[] = {(which == i++ ? read_from_stream(streams, message) : 0)...};
  (void)read;
}

// A token a cycle; sentinels are tokens. `in`: the streams from this PE, the one before it, ... Ends with an end token.
template <class Message, class... In>
void exchangeCodes(stream<Message>& out, In&... in) {
  constexpr std::uint32_t kPes = sizeof...(In);
  static_assert(kPes <= kMostPes, "headers have room for so many");
  Message message = {};
  std::uint32_t open = (1u << kPes) - 1, from = 0;  // a bit per sender that sends more
  while (open != 0) {
    GASPIPE_PIPELINE(1);
    GASPIPE_PRAGMA(HLS LOOP_TRIPCOUNT min = 1 max = 268435456);
    const bool is_open = (open >> from & 1u) != 0;
    if (is_open) {
      read_from_one(from, message, in...);
      if (!message.end) write_to_stream(out, message);
      if (message.last) open &= ~(1u << from);
    }
    if (!is_open || message.end) from = from + 1 == kPes ? 0 : from + 1;
  }
  write_to_stream(out, message);
}

}  // namespace gaspipe
