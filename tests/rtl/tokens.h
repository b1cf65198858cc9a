// SPDX-License-Identifier: Apache-2.0
// Random tokens for leaves, as the tasks before them send them, each vector with its end token.
#pragma once

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "block_tokens.h"
#include "delta_tokens.h"
#include "hls/kernel/apply.h"
#include "hls/kernel/apply_parts.h"
#include "hls/kernel/dense_gather_scatter.h"
#include "hls/kernel/packed_gather_scatter.h"
#include "slow.h"

namespace gaspipe {
namespace rtl {

using Random = std::mt19937_64;
using U = std::uint32_t;
using L = std::uint64_t;
using B = BitSet<512>;

constexpr std::uint32_t kParts = 5;  // sub-partitions of a test

// The tokens of every sub-partition, one after the other.
template <class Make>
auto parts(Make make) {
  auto all = make();
  for (std::uint32_t i = 1; i < kParts; ++i) {
    const auto more = make();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}
// Mostly small values, so that minima and sums meet, and the ends of the range.
template <class T>
T random_value(Random& random) {
  const auto kind = random() % 8;
  return kind == 0 ? T(~T(0)) : kind == 1 ? T(random()) : T(random() % 1000);
}
template <>
inline B random_value<B>(Random& random) {
  B set{};
  for (std::uint64_t& word : set.word) word = random_value<std::uint64_t>(random);
  return set;
}
template <class T>
std::vector<T> random_values(std::size_t n, Random& random) {
  std::vector<T> v(n);
  for (T& x : v) x = random_value<T>(random);
  return v;
}
template <class T>
std::vector<Word<T>> random_words(std::size_t n, Random& random) {
  std::vector<Word<T>> v(n);
  for (auto& w : v) {
    for (T& x : w.lane) x = random_value<T>(random);
  }
  return v;
}
template <class T>
std::vector<WordToken<T>> random_word_tokens(std::size_t n, Random& random) {
  std::vector<WordToken<T>> v(n + 1);
  for (auto& t : v) {
    for (T& x : t.word.lane) x = T(random());
    t.end = false;
  }
  v.back().end = true;
  return v;
}
// Ids that ascend, in steps of very different sizes.
inline std::vector<WordToken<VertexId>> random_sources(std::size_t n, Random& random) {
  std::vector<WordToken<VertexId>> v(n + 1);
  VertexId s = 0;
  for (auto& t : v) {
    const int spread = int(random() % 5);
    for (VertexId& lane : t.word.lane) {
      if (random() % 3 == 0) s += VertexId(random() % (1u << (2 * spread + 1)));
      lane = s;
    }
    t.end = false;
  }
  v.back().end = true;
  return v;
}
// Sources as markLines sends them, to lineCommands and to fetchSources.
struct Marked {
  std::vector<MarkedSources> commands;
  std::vector<SourcePlaces> places;
};
template <class T>
Marked marked_lines(const std::vector<WordToken<VertexId>>& sources) {
  stream<WordToken<VertexId>> in;
  stream<MarkedSources> commands;
  stream<SourcePlaces> places;
  for (const auto& t : sources) in.write(t);
  while (in.size() > 0) markLines<T>(in, commands, places);  // a sub-partition
  Marked marked;
  while (commands.size() > 0) marked.commands.push_back(commands.read());
  while (places.size() > 0) marked.places.push_back(places.read());
  return marked;
}
// What lineRead sends for those sources: for each sub-partition the lines that it needs.
template <class T>
std::vector<Word<T>> lines_of(const std::vector<WordToken<VertexId>>& sources, Random& random) {
  std::size_t n = 0;
  std::set<std::uint32_t> lines;
  for (const auto& t : sources) {
    for (VertexId s : t.word.lane) {
      if (!t.end) lines.insert(s / Word<T>::kSize);
    }
    if (t.end) {
      n += lines.size();
      lines.clear();
    }
  }
  return random_words<T>(n, random);
}
inline std::vector<LineRun> random_runs(std::size_t n, Random& random) {
  std::vector<LineRun> v(n + 1);
  std::uint32_t at = 0;
  for (auto& run : v) {
    at += std::uint32_t(random() % 5);
    run = {at, 1 + std::uint32_t(random() % (random() % 4 ? 4 : 64)), false};
    at += run.count;
  }
  v.back().end = true;
  return v;
}
inline std::vector<SubPartitionToken> random_sub_partitions(Random& random) {
  std::vector<SubPartitionToken> v(kParts);
  std::uint32_t word = 0, gathered = 0;
  for (auto& s : v) {
    s = {word,     200 + std::uint32_t(random() % 300),
         word,     200 + std::uint32_t(random() % 3000),
         gathered, VertexId(random() % 1000)};
    if (&s == &v[2]) s.num_edge_words = 0;  // passed over
    word += s.num_edge_words;
    gathered += (s.num_vertices + 7) / 8 + 1;
  }
  return v;
}
template <class T, int lanes>
std::vector<SourceToken<T, lanes>> random_properties(std::size_t n, Random& random) {
  std::vector<SourceToken<T, lanes>> v(n + 1);
  for (auto& s : v) {
    for (T& p : s.property) p = random_value<T>(random);
    s.end = false;
  }
  v.back().end = true;
  return v;
}
template <class T>
Update<T> random_update(Random& random) {
  return {VertexId(random() % 100000), random_value<T>(random)};
}
template <class T, int lanes>
std::vector<UpdateSet<T, lanes>> random_sets(std::size_t n, Random& random) {
  std::vector<UpdateSet<T, lanes>> v(n + 1);
  for (auto& s : v) {
    for (auto& u : s.update) u = random_update<T>(random);
    s.valid = std::uint32_t(random()) & ((1u << lanes) - 1);
    s.end = false;
  }
  v.back().end = true;
  return v;
}
// As broadcastRows marks them.
template <class Set>
std::vector<Set> marked(std::vector<Set> v) {
  for (std::size_t i = kSetsPerRow - 1; i + 1 < v.size() / 2; i += kSetsPerRow) v[i].valid |= kRowMark;
  v.back().update[0].destination = 77;  // rows of the sub-partition
  return v;
}
// The first `num` of the lanes in a random order.
template <int lanes, class Listed>
void list_random(Listed& set, std::uint32_t num, Random& random) {
  std::uint32_t order[lanes];
  for (std::uint32_t i = 0; i < lanes; ++i) order[i] = i;
  std::shuffle(order, order + lanes, random);
  set.lane = 0;
  set.num = std::uint8_t(num);
  for (std::uint32_t i = 0; i < num; ++i) set.lane |= std::uint64_t(order[i]) << (4 * i);
}
template <class T, int lanes>
std::vector<ListedSet<T, lanes>> random_listed(std::size_t n, Random& random) {
  std::vector<ListedSet<T, lanes>> v(n + 1);
  for (auto& s : v) {
    for (auto& u : s.update) u = random_update<T>(random);
    list_random<lanes>(s, 1 + std::uint32_t(random() % lanes), random);
    s.end = false;
  }
  v.back().end = true;
  return v;
}
// Sets of a PE; a mark may come without an update.
template <class T, int lanes>
std::vector<MarkedSet<T, lanes>> random_marked_sets(std::size_t n, Random& random) {
  std::vector<MarkedSet<T, lanes>> v(n + 1);
  for (auto& s : v) {
    for (auto& u : s.update) u = random_update<T>(random);
    s.mark = random() % 4 == 0;
    list_random<lanes>(s, std::uint32_t(random() % (lanes + 1)), random);
    if (s.num == 0) s.mark = true;
    s.end = false;
  }
  v.back().lane = 0;  // of the update that has the number of rows
  v.back().num = 1;
  v.back().mark = false;
  v.back().end = true;
  return v;
}
// Of PE 3 of `pes`.
template <class T>
std::vector<UpdateToken<T>> random_updates(std::size_t n, VertexId vertices, VertexId pes, Random& random) {
  std::vector<UpdateToken<T>> v(n + 1);
  for (auto& t : v) {
    t.update = {VertexId(random() % vertices) / pes * pes + 3, random_value<T>(random)};
    t.end = false;
  }
  v.back().end = true;
  return v;
}
// Updates of a vertex at least kRawWindow others apart, as rawSolver sends them: those nearer are left out.
template <class T>
std::vector<UpdateToken<T>> apart(const std::vector<UpdateToken<T>>& all) {
  std::vector<UpdateToken<T>> v;
  for (const auto& t : all) {
    const auto last = v.end() - std::min<std::ptrdiff_t>(kRawWindow, std::ptrdiff_t(v.size()));
    if (t.end || std::none_of(last, v.end(),
                              [&](const UpdateToken<T>& o) { return o.update.destination == t.update.destination; })) {
      v.push_back(t);
    }
  }
  return v;
}
template <class T>
std::vector<MarkedUpdate<T>> random_marked(std::size_t n, VertexId rows, VertexId pes, Random& random) {
  std::vector<MarkedUpdate<T>> v(n + 1);
  for (auto& t : v) {
    t.update = {VertexId(random() % (2 * rows)) * pes + 3, random_value<T>(random)};
    t.mark = random() % 5 == 0;
    if (t.mark && random() % 2 == 0) t.update.destination = kNoVertex;
    t.end = false;
  }
  v.back().update.destination = rows;
  v.back().mark = false;
  v.back().end = true;
  return v;
}
// Rows at least kRawWindow others apart; marks and updates, one of them or both.
template <class T>
std::vector<MarkedRow<T>> random_rows(std::size_t n, std::uint32_t rows, Random& random) {
  std::vector<MarkedRow<T>> v(n + 1);
  std::uint32_t marks = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    auto& t = v[i];
    t.mark = random() % 5 == 0 && marks < rows / 2;
    marks += t.mark;
    t.update.end = false;
    for (T& x : t.update.word.lane) x = random_value<T>(random);
    t.update.valid = std::uint8_t(1 + random() % ((1u << UramWord<T>::kSize) - 1));
    t.update.row = std::uint32_t((random() % (rows / 8)) * 8 + i % 8);
    if (t.mark && random() % 2 == 0) {
      t.update.row = kNoRow;
      t.update.valid = 0;
    }
  }
  v.back().mark = false;
  v.back().update.end = true;
  v.back().update.row = rows / 2;
  return v;
}
// A PE's rows of every sub-partition.
template <class T, int pes>
std::vector<UramWord<T>> random_rows_of(const std::vector<SubPartitionToken>& sub_partitions, Random& random) {
  std::vector<UramWord<T>> v;
  for (const auto& s : sub_partitions) {
    for (std::uint32_t i = 0; i < rows_per_pe<T, pes>(0, s.num_vertices); ++i) {
      UramWord<T> row;
      for (T& x : row.lane) x = random_value<T>(random);
      v.push_back(row);
    }
  }
  return v;
}
// Those that have an update, as rawSolver sends them where nothing is marked.
template <class T>
std::vector<MarkedRow<T>> with_updates(std::vector<MarkedRow<T>> v) {
  for (auto& t : v) t.mark = false;
  v.erase(std::remove_if(v.begin(), v.end(), [](const auto& t) { return t.update.row == kNoRow; }), v.end());
  return v;
}
template <class T>
std::size_t num_words(const std::vector<SubPartitionToken>& sub_partitions) {
  std::size_t num = 0;
  for (const auto& s : sub_partitions) num += words_of_vertices<T>(s.num_vertices);
  return num;
}
// A copy's rows of every sub-partition.
template <class T>
std::vector<RowGroup<T>> random_groups_of(const std::vector<SubPartitionToken>& sub_partitions, Random& random) {
  std::vector<RowGroup<T>> v(2 * num_words<T>(sub_partitions));
  for (auto& group : v) {
    for (auto& row : group.row) {
      for (T& x : row.lane) x = random_value<T>(random);
    }
  }
  return v;
}
inline std::vector<PartToken> random_parts(Random& random) {
  std::vector<PartToken> v(kParts + 1);
  for (auto& part : v)
    part = {std::uint32_t(random() % 200), std::uint32_t(random() % 2000), std::uint32_t(random() % 200)};
  v[1].num_identity = v[3].num_identity = v[kParts].num_words = 0;
  return v;
}
// Of partitions that ascend.
inline std::vector<Word<U>> random_descriptors(Random& random) {
  std::vector<Word<U>> words = random_words<U>(kParts, random);
  VertexId next = 0;
  for (auto& word : words) {
    word.lane[SubPartitionLane::kFirstVertex] = next += 16 * VertexId(random() % 500);
    word.lane[SubPartitionLane::kLastVertex] = next += 16 * VertexId(1 + random() % 500);
  }
  return words;
}
// Runs of groups, the lines before weights that are due.
inline std::vector<GroupRun> random_group_runs(std::size_t n, Random& random) {
  std::vector<GroupRun> v(n + 1);
  for (auto& run : v) {
    run = {std::uint32_t(random() % 4000), std::uint32_t(random() % 20), random() % 2 == 0, false};
    if (run.count == 0) run.due = true;
  }
  v[n].end = true;
  return v;
}
// Descriptors, then edges, every `group` words with so many of weights.
inline std::vector<Word<U>> random_edge_list(std::uint32_t group, std::uint32_t weight_words, Random& random) {
  const auto sub_partitions = random_sub_partitions(random);
  std::uint32_t next = kParts;
  std::vector<Word<U>> words = random_words<U>(kParts + 500 * kParts * (1 + weight_words), random);
  for (std::uint32_t s = 0; s < kParts; ++s) {
    const std::uint32_t groups = sub_partitions[s].num_edge_words / group;
    words[s].lane[SubPartitionLane::kFirstEdgeWord] = next;
    words[s].lane[SubPartitionLane::kNumEdgeWords] = groups * group;
    next += groups * (group + weight_words);
  }
  return words;
}
// Sub-partitions of whole groups of words of edges, and their near or far words of weights.
inline std::vector<SubPartitionToken> random_grouped(Random& random) {
  auto all = random_sub_partitions(random);
  for (auto& s : all) s.num_edge_words = s.num_edge_words / kGroupWords * kGroupWords;
  return all;
}
template <class T>
std::vector<WordToken<T>> random_weights(const std::vector<SubPartitionToken>& all, std::uint32_t per_group,
                                         Random& random) {
  std::vector<WordToken<T>> v;
  for (const auto& s : all) {
    for (const auto& word : random_words<T>(s.num_edge_words / kGroupWords * per_group, random))
      v.push_back({word, false});
    v.push_back({Word<T>{}, true});
  }
  return v;
}

}  // namespace rtl
}  // namespace gaspipe
