// SPDX-License-Identifier: Apache-2.0
// What the tests of blocks share: rows as blocks read them, arrays as lines, memory in banks, and runs of a chain with
// streams as declared, shallow, and disturbed.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "hls/block/types.h"
#include "hls/emulator/memory.h"
#include "tests/hls/emulator/any_order.h"
#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace block {

// In the namespace of what they compare and print.
inline bool operator==(const SetMeta& a, const SetMeta& b) {
  return a.owner == b.owner && a.first == b.first && a.last == b.last && a.end == b.end;
}
inline bool operator==(const MemReq& a, const MemReq& b) {
  return a.first == b.first && a.num == b.num && a.end == b.end;
}
inline std::ostream& operator<<(std::ostream& out, const SetMeta& meta) {
  return out << meta.owner << ": " << meta.first << " to " << meta.last << (meta.end ? ", end" : "");
}
inline std::ostream& operator<<(std::ostream& out, const MemReq& request) {
  return out << request.num << " from " << request.first << (request.end ? ", end" : "");
}

namespace testing {

using gaspipe::testing::as_values;
using gaspipe::testing::as_words;
using gaspipe::testing::at_all_depths;
using gaspipe::testing::difference_in_any_order;
using gaspipe::testing::drain;
using gaspipe::testing::drain_to_end;
using gaspipe::testing::feed;
using gaspipe::testing::Random;

using Degrees = std::vector<std::uint32_t>;

// Rows of vertices with these degrees.
struct Rows {
  std::vector<EdgeCount> offsets{0};

  explicit Rows(const Degrees& degrees) {
    for (std::uint32_t degree : degrees) offsets.push_back(offsets.back() + degree);
  }
  VertexId size() const { return static_cast<VertexId>(offsets.size() - 1); }
  EdgeCount num_edges() const { return offsets.back(); }
  std::vector<RowLine> lines() const { return as_words<EdgeCount>(offsets, offsets.back()); }
  SetMeta set(VertexId v) const { return {v, offsets[v], offsets[v + 1], false}; }
  // Of all vertices that have one, in order.
  std::vector<SetMeta> sets() const {
    std::vector<SetMeta> all;
    for (VertexId v = 0; v < size(); ++v) {
      if (set(v).first < set(v).last) all.push_back(set(v));
    }
    return all;
  }
};
inline Degrees random_degrees(VertexId num, std::uint32_t most, Random& random) {
  Degrees degrees(num);
  for (std::uint32_t& degree : degrees)
    degree = random() % 3 == 0 ? 0 : static_cast<std::uint32_t>(random() % (most + 1));
  return degrees;
}
// Those that limits lie at.
inline Degrees edge_degrees() { return {0, 1, 15, 16, 17, 0, 0, 64, 65, 7, 8, 9, 31, 32, 33, 10000, 1, 0, 2, 0}; }

// The requests for an array of T along the edges, one for every set.
template <class T>
std::vector<MemReq> requests_for(const std::vector<SetMeta>& sets) {
  std::vector<MemReq> requests;
  constexpr EdgeCount size = 64 / sizeof(T);
  for (const SetMeta& meta : sets) {
    requests.push_back({meta.first / size, (meta.last + size - 1) / size - meta.first / size, false});
  }
  return requests;
}

template <class Token>
std::vector<Token> with_end(std::vector<Token> tokens) {
  tokens.push_back({});
  tokens.back().end = true;
  return tokens;
}
inline std::vector<VertexToken> as_tokens(const std::vector<VertexId>& vertices) {
  std::vector<VertexToken> tokens;
  for (VertexId v : vertices) tokens.push_back({v, false});
  return with_end(tokens);
}
// The lines that requests ask for.
template <class T>
std::vector<Line<T>> answers(const std::vector<MemReq>& requests, const std::vector<Line<T>>& memory) {
  std::vector<Line<T>> lines;
  for (const MemReq& request : requests) {
    for (std::uint64_t i = 0; i < request.num; ++i) lines.push_back(memory.at(request.first + i));
  }
  return lines;
}

// Passes tokens on, one every so many cycles.
template <class Token>
void slow_down(stream<Token>& in, stream<Token>& out, std::uint32_t pause) {
  Token token;
  do {
    GASPIPE_PIPELINE(1 + pause);
    in.read(token);
    out.write(token);
  } while (!token.end);
}

// Banks with buffers, seen by the regions that run while it lives.
class Banks {
 public:
  explicit Banks(std::size_t num, std::uint32_t latency = 30)
      : map_(std::vector<emulator::Channel>(num, emulator::Channel(config(latency)))) {
    emulator::MemoryMap::current() = &map_;
  }
  ~Banks() { emulator::MemoryMap::current() = nullptr; }
  template <class Word>
  void add(const char* name, const std::vector<Word>& words, std::size_t bank, bool writable = false) {
    if (!words.empty()) map_.add(name, words.data(), words.size() * sizeof(Word), bank, writable);
  }
  const emulator::MemoryMap& map() const { return map_; }

 private:
  static emulator::ChannelConfig config(std::uint32_t latency) {
    emulator::ChannelConfig config;
    config.latency = latency;
    return config;
  }
  emulator::MemoryMap map_;
};

}  // namespace testing
}  // namespace block
}  // namespace gaspipe
