// SPDX-License-Identifier: Apache-2.0
// Random tokens for the tasks of GraphOps' blocks.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "hls/block/mark_hits.h"
#include "hls/kernel/graphops_conductance.h"
#include "hls/kernel/graphops_vertex_cover.h"
#include "local_store_tokens.h"

namespace gaspipe {
namespace rtl {

inline bool same(const block::MemReq& a, const block::MemReq& b) {
  return a.end == b.end && (a.end || (a.first == b.first && a.num == b.num));
}
inline bool same(const block::SetMeta& a, const block::SetMeta& b) {
  return a.end == b.end && (a.end || (a.owner == b.owner && a.first == b.first && a.last == b.last));
}
inline bool same(const block::VertexToken& a, const block::VertexToken& b) {
  return a.end == b.end && (a.end || a.vertex == b.vertex);
}
inline bool same(const block::GroupMask& a, const block::GroupMask& b) {
  return a.end == b.end && (a.end || (a.line == b.line && a.lanes == b.lanes));
}
template <class V>
bool same(const block::VertexProperty<V>& a, const block::VertexProperty<V>& b) {
  return a.end == b.end && (a.end || (a.vertex == b.vertex && a.value == b.value));
}
template <class V>
bool same(const block::Hit<V>& a, const block::Hit<V>& b) {
  return a.end == b.end && (a.end || (a.owner == b.owner && a.neighbor == b.neighbor && a.value == b.value));
}
// Of 32-bit values.
template <class V>
using HitLine16 = block::HitLine<V, 16>;

template <class V>
bool same(const HitLine16<V>& a, const HitLine16<V>& b) {
  if (a.end != b.end || a.end) return a.end == b.end;
  for (int w = 0; w < block::kHitWays; ++w) {
    if (a.lanes[w] != b.lanes[w]) return false;
    for (int i = 0; i < 16; ++i) {
      if ((a.lanes[w] >> i & 1u) == 0) continue;
      if (a.neighbors[i] != b.neighbors[i] || a.values[i] != b.values[i]) return false;
    }
  }
  return a.owner == b.owner;
}
template <class V>
bool same(const block::HitGroup<V>& a, const block::HitGroup<V>& b) {
  if (a.end != b.end || a.end) return a.end == b.end;
  for (int w = 0; w < block::kHitWays; ++w) {
    if ((a.lanes >> w & 1u) == 0) continue;
    if (a.neighbor[w] != b.neighbor[w] || a.value[w] != b.value[w] || a.held[w] != b.held[w]) return false;
  }
  return a.lanes == b.lanes && a.owner == b.owner;
}
template <class V>
bool same(const block::FoundRow<V>& a, const block::FoundRow<V>& b) {
  if (a.end != b.end || a.end) return a.end == b.end;
  for (int w = 0; w < block::kHitWays; ++w) {
    if (a.word[w] != b.word[w]) return false;
  }
  return a.row == b.row && a.value == b.value;
}
template <class P>
bool same(const block::LineUpdate<P>& a, const block::LineUpdate<P>& b) {
  if (a.end != b.end || a.end) return a.end == b.end;
  for (int i = 0; i < block::Line<P>::kSize; ++i) {
    if ((a.lanes >> i & 1u) != 0 && a.values.lane[i] != b.values.lane[i]) return false;
  }
  return a.line == b.line && a.lanes == b.lanes;
}

template <class Token>
std::vector<Token> ended(std::vector<Token> tokens) {
  tokens.push_back(cleared<Token>());
  tokens.back().end = true;
  return tokens;
}

// Sets of vertices: many are empty, some take several lines.
struct RandomSets {
  std::vector<EdgeCount> offsets{0};

  RandomSets(std::size_t num, std::mt19937_64& random) {
    for (std::size_t v = 0; v < num; ++v) {
      const auto kind = random() % 8;
      offsets.push_back(offsets.back() + (kind < 2 ? 0 : random() % (kind == 7 ? 90 : 12)));
    }
  }
  std::vector<block::RowLine> rows() const {
    std::vector<block::RowLine> lines(offsets.size() / block::RowLine::kSize + 1);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      lines[i / block::RowLine::kSize].lane[i % block::RowLine::kSize] = offsets[i];
    }
    return lines;
  }
  std::vector<block::SetMeta> sets() const {
    std::vector<block::SetMeta> tokens;
    for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
      if (offsets[v] == offsets[v + 1]) continue;
      auto token = cleared<block::SetMeta>();
      token.owner = static_cast<VertexId>(v);
      token.first = offsets[v];
      token.last = offsets[v + 1];
      tokens.push_back(token);
    }
    return ended(tokens);
  }
  // Lines of elements that the sets are asked for.
  template <class T>
  std::size_t num_lines() const {
    std::size_t num = 0;
    for (const block::SetMeta& set : sets()) num += set.end ? 0 : block::lines_of<T>(set.first, set.last).num;
    return num;
  }
  // The rows of some vertices, as memory answers them.
  std::vector<block::RowLine> rows_of(const std::vector<block::VertexToken>& vertices) const {
    std::vector<block::RowLine> lines;
    const std::vector<block::RowLine> all = rows();
    for (const block::VertexToken& token : vertices) {
      if (token.end) break;
      const block::MemReq request = block::row_request(token.vertex);
      for (std::uint64_t i = 0; i < request.num; ++i) lines.push_back(all[request.first + i]);
    }
    return lines;
  }
};

inline std::vector<block::VertexToken> random_vertices(std::size_t num, std::uint32_t num_vertices,
                                                       std::mt19937_64& random) {
  std::vector<block::VertexToken> tokens;
  for (std::size_t i = 0; i < num; ++i) {
    auto token = cleared<block::VertexToken>();
    token.vertex = static_cast<VertexId>(random() % num_vertices);
    tokens.push_back(token);
  }
  return ended(tokens);
}

// Groups of 16 vertices; none is empty.
inline std::vector<block::GroupMask> random_groups(std::size_t num, std::mt19937_64& random) {
  std::vector<block::GroupMask> groups;
  for (std::size_t i = 0; i < num; ++i) {
    auto group = cleared<block::GroupMask>();
    group.line = static_cast<std::uint32_t>(random() % 100'000);
    group.lanes = static_cast<std::uint32_t>(1 + random() % 0xffff) & (random() % 2 == 0 ? 0xffffu : 0x8001u);
    if (group.lanes == 0) group.lanes = 1;
    groups.push_back(group);
  }
  return ended(groups);
}
// The same as lines of memory; the last line is filled with groups of no vertices.
inline std::vector<block::GroupLine> group_lines(const std::vector<block::GroupMask>& groups) {
  std::vector<block::GroupLine> lines((groups.size() - 1 + block::GroupLine::kSize - 1) / block::GroupLine::kSize);
  for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
    lines[i / block::GroupLine::kSize].lane[i % block::GroupLine::kSize] = block::pack_group(groups[i]);
  }
  return lines;
}

// New values: of vertices in their order, some twice, or of few lines in any order.
template <class V>
std::vector<block::VertexProperty<V>> random_new_values(std::size_t num, bool in_order, std::mt19937_64& random) {
  std::vector<block::VertexProperty<V>> tokens;
  VertexId vertex = 0;
  for (std::size_t i = 0; i < num; ++i) {
    auto token = cleared<block::VertexProperty<V>>();
    vertex = in_order ? vertex + static_cast<VertexId>(random() % 3) : static_cast<VertexId>(random() % 700);
    token.vertex = vertex;
    token.value = static_cast<V>(random() % 1000);
    tokens.push_back(token);
  }
  return ended(tokens);
}

// Lines with a hit at least.
template <class V>
std::vector<HitLine16<V>> random_hit_lines(std::size_t num, std::mt19937_64& random) {
  std::vector<HitLine16<V>> tokens;
  for (std::size_t i = 0; i < num; ++i) {
    auto token = cleared<HitLine16<V>>();
    token.owner = static_cast<VertexId>(i);
    for (int lane = 0; lane < 16; ++lane) {
      token.neighbors[lane] = static_cast<VertexId>(random() % 5000);
      token.values[lane] = static_cast<V>(random() % 1000);
    }
    token.take(static_cast<std::uint32_t>(1 + random() % 0xffff) & (random() % 2 == 0 ? 0xffffu : 0x8421u));
    if (token.is_empty()) token.take(1);
    tokens.push_back(token);
  }
  return ended(tokens);
}

// Hits of few vertices, at most one of each bank; `watched`: with the words that are in registers.
template <class V>
std::vector<block::HitGroup<V>> random_hits(std::size_t num, std::uint32_t num_vertices, bool watched,
                                            std::mt19937_64& random) {
  std::vector<block::HitGroup<V>> tokens;
  RowWindow windows[block::kHitWays];
  for (RowWindow& window : windows) window.start();
  for (std::size_t i = 0; i < num; ++i) {
    auto token = cleared<block::HitGroup<V>>();
    token.owner = static_cast<VertexId>(i);
    token.lanes = static_cast<std::uint32_t>(random() % (1u << block::kHitWays));
    const std::uint32_t span = random() % 2 == 0 ? 32 : num_vertices;
    for (std::uint32_t w = 0; w < block::kHitWays; ++w) {
      token.neighbor[w] = static_cast<VertexId>(random() % (span / block::kHitWays) * block::kHitWays + w);
      token.value[w] = static_cast<V>(random() % 1000);
      const bool is_hit = (token.lanes >> w & 1u) != 0;
      const std::uint32_t row = token.neighbor[w] / block::kVerticesPerRow;
      const std::uint8_t held = windows[w].take(is_hit ? row : kNoMarkRow);
      if (watched) token.held[w] = held;
    }
    tokens.push_back(token);
  }
  return ended(tokens);
}

// Rows of a bitmap with a bit at least.
template <class V>
std::vector<block::FoundRow<V>> random_rows(std::size_t num, std::mt19937_64& random) {
  std::vector<block::FoundRow<V>> tokens;
  for (std::size_t i = 0; i < num; ++i) {
    auto token = cleared<block::FoundRow<V>>();
    token.row = static_cast<std::uint32_t>(3 * i);
    token.value = static_cast<V>(i);
    for (std::uint64_t& word : token.word) word = random() & random() & (random() % 2 == 0 ? random() : 0);
    token.word[i % block::kHitWays] |= std::uint64_t(1) << random() % block::kHitsPerWord;
    tokens.push_back(token);
  }
  return ended(tokens);
}

// Changes of lines, the same lines often.
template <class P>
std::vector<block::LineUpdate<P>> random_line_updates(std::size_t num, std::mt19937_64& random) {
  std::vector<block::LineUpdate<P>> tokens;
  for (std::size_t i = 0; i < num; ++i) {
    auto token = cleared<block::LineUpdate<P>>();
    token.line = static_cast<std::uint32_t>(random() % 60);
    token.lanes = static_cast<std::uint32_t>(random()) & block::all_lanes<P>();
    for (P& value : token.values.lane) value = static_cast<P>(random() % 1000);
    tokens.push_back(token);
  }
  return ended(tokens);
}

// Numbers of writes, as a memory acknowledges them.
inline std::vector<std::uint32_t> first_numbers(std::size_t num) {
  std::vector<std::uint32_t> numbers(num);
  for (std::size_t i = 0; i < num; ++i) numbers[i] = static_cast<std::uint32_t>(i);
  return numbers;
}

// Requests of an array of 500 lines.
inline std::vector<block::MemReq> random_requests_of_lines(std::size_t num, std::mt19937_64& random) {
  std::vector<block::MemReq> tokens;
  for (std::size_t i = 0; i < num; ++i) {
    auto token = cleared<block::MemReq>();
    token.first = random() % 480;
    token.num = random() % 5 == 0 ? 0 : 1 + random() % 20;
    tokens.push_back(token);
  }
  return ended(tokens);
}
inline std::size_t num_lines(const std::vector<block::MemReq>& requests) {
  std::size_t num = 0;
  for (const block::MemReq& request : requests) num += request.end ? 0 : request.num;
  return num;
}

}  // namespace rtl
}  // namespace gaspipe
