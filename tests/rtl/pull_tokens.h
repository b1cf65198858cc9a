// SPDX-License-Identifier: Apache-2.0
// Random tokens for the leaves that pull (hls/local_store/pull.h).
#pragma once

#include <random>
#include <vector>

#include "hls/kernel/pull_bfs.h"
#include "local_store_tokens.h"

namespace gaspipe {
namespace rtl {

inline bool same(const HeadGroup& a, const HeadGroup& b) {
  return a.end == b.end && (a.end || (a.unmarked == b.unmarked && a.first == b.first));
}
inline bool same(const PulledSource& a, const PulledSource& b) {
  return a.end == b.end && (a.end || (a.source == b.source && a.last == b.last));
}
inline bool same(const FoundSource& a, const FoundSource& b) {
  return a.end == b.end && (a.end || (a.source == b.source && a.found == b.found));
}
inline bool same(const PulledVertex& a, const PulledVertex& b) {
  return a.end == b.end && (a.end || (a.code == b.code && a.row == b.row && a.num_sources == b.num_sources));
}
inline bool same(const HeadAnswer& a, const HeadAnswer& b) {
  return a.end == b.end &&
         (a.end || (a.code == b.code && a.parent == b.parent && a.found == b.found && a.asks == b.asks));
}
inline bool same(const RowRun& a, const RowRun& b) {
  return a.end == b.end && (a.end || (a.num == b.num && a.last == b.last));
}

// `num` tokens as `fill` makes them, and the end.
template <class Token, class Fill>
std::vector<Token> with_end(std::size_t num, const Fill& fill) {
  std::vector<Token> tokens(num + 1, cleared<Token>());
  for (std::size_t i = 0; i < num; ++i) fill(tokens[i], i);
  tokens.back().end = true;
  return tokens;
}

inline std::vector<PulledSource> random_pulled_sources(std::size_t num, std::mt19937_64& random) {
  return with_end<PulledSource>(num, [&](PulledSource& token, std::size_t) {
    token.source = static_cast<VertexId>(random() % 4096);
    token.last = random() % 3 == 0;
  });
}
inline std::vector<HeadGroup> random_head_groups(std::size_t num, std::mt19937_64& random) {
  return with_end<HeadGroup>(num, [&](HeadGroup& group, std::size_t i) {
    group.unmarked = random() & random() & (random() | random());
    group.first = static_cast<std::uint32_t>(i * kHeadsPerGroup);
  });
}
inline std::vector<PulledVertex> random_pulled_vertices(std::size_t num, std::mt19937_64& random) {
  return with_end<PulledVertex>(num, [&](PulledVertex& vertex, std::size_t) {
    vertex.code = random();
    vertex.row = static_cast<std::uint32_t>(random() % 100'000);
    vertex.num_sources = static_cast<std::uint32_t>(random() % 9 == 0 ? random() % 4000 : random() % 40);
  });
}
// Of vertices with rows.
inline std::vector<PulledVertex> random_asked(std::size_t num, std::mt19937_64& random) {
  auto asked = random_pulled_vertices(num, random);
  for (std::size_t i = 0; i < num; ++i) ++asked[i].num_sources;
  return asked;
}
// The last of each vertex where `last` says so; so is the end.
inline std::vector<FoundSource> random_found(std::size_t num, bool last, std::mt19937_64& random) {
  auto tokens = with_end<FoundSource>(num, [&](FoundSource& token, std::size_t) {
    token.source = static_cast<VertexId>(random());
    token.found = random() % 5 == 0;
    token.last = last || random() % 7 == 0;
  });
  tokens.back().last = true;
  return tokens;
}
// Every third one asks.
inline std::vector<HeadAnswer> random_answers(std::size_t num, std::mt19937_64& random) {
  return with_end<HeadAnswer>(num, [&](HeadAnswer& answer, std::size_t i) {
    answer.code = random();
    answer.parent = static_cast<VertexId>(random());
    answer.asks = i % 3 == 0;
    answer.found = !answer.asks && random() % 2 == 0;
  });
}
// Of one to five words, by turns; the last of a word's sources are not all there.
inline std::vector<RowRun> random_row_runs(std::size_t num, std::mt19937_64& random) {
  return with_end<RowRun>(num, [&](RowRun& run, std::size_t i) {
    run.num = static_cast<std::uint16_t>(kSourcesPerWord * (i % 5) + 1 + random() % kSourcesPerWord);
    run.last = random() % 2 == 0;
  });
}

}  // namespace rtl
}  // namespace gaspipe
