// SPDX-License-Identifier: Apache-2.0
// Graphs and sets for frontier programs, and one edge at a time what a call must do.
#pragma once

#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "gaspipe/frontier.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace testing {

using Direction = FrontierOptions::Direction;

struct NamedCsr {
  std::string name;
  Csr csr;
};
inline std::vector<NamedCsr> odd_graphs() {
  Edges star, random = random_edges(700, 12000, 1);  // enough edges for several threads; some are loops, some parallel
  for (VertexId v = 1; v < 300; ++v) star.emplace_back(0, v), star.emplace_back(v, 0);
  return {{"one vertex", csr_of(1, {})},
          {"a loop", csr_of(1, {{0, 0}, {0, 0}})},
          {"no edges", csr_of(130, {})},
          {"loops and parallel edges", csr_of(5, {{0, 0}, {0, 1}, {0, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 4}, {4, 0}})},
          {"star", csr_of(300, star)},
          {"random", csr_of(700, random)}};
}

// Queues and bitmaps: none, all, one, some.
inline std::vector<VertexSubset> sets_of(VertexId n) {
  std::mt19937 random(n);
  std::vector<VertexId> some;
  for (VertexId v = 0; v < n; ++v) {
    if (random() % 3 == 0) some.push_back(v);
  }
  std::vector<VertexSubset> sets;
  sets.emplace_back(n);
  sets.emplace_back(n, false);
  sets.emplace_back(n, true);
  sets.emplace_back(n, n / 2);
  sets.emplace_back(n, some);
  sets.emplace_back(n, some);
  sets.back().to_bitmap();
  return sets;
}

inline std::vector<FrontierOptions> all_options() {
  std::vector<FrontierOptions> all;
  for (const int num_threads : {1, 3}) {
    for (const Direction direction : {Direction::kAuto, Direction::kPush, Direction::kPull}) {
      for (const bool scan : {true, false}) {
        FrontierOptions options;
        options.num_threads = num_threads;
        options.direction = direction;
        options.group = scan ? 1 : 32;
        options.scan = scan;
        all.push_back(options);
      }
    }
  }
  return all;
}
inline std::string text_of(const FrontierOptions& options, const VertexSubset& set) {
  return message(options.num_threads, " threads, direction ", static_cast<int>(options.direction), ", scan ",
                 options.scan, ", ", set.size(), set.is_bitmap() ? " in a bitmap" : " in a queue");
}

template <class T>
std::vector<T> copy(const T* values, std::size_t n) {
  return std::vector<T>(values, values + n);
}

// What edgeFilter must leave.
template <class A>
struct Gathered {
  std::vector<A> accums;
  std::vector<VertexId> reached;
};
template <class V, class E, class A, class F>
Gathered<A> gather_by_hand(const Csr& csr, const VertexSubset& src, const std::vector<V>& values, std::vector<E>& edges,
                           const A& identity, F f) {
  Gathered<A> expected{std::vector<A>(csr.num_rows, identity), {}};
  std::set<VertexId> reached;
  for (const VertexId v : src.vertices()) {
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[std::size_t(v) + 1]; ++e) {
      A& accum = expected.accums[csr.targets[e]];
      accum = f.reduce(accum, f.gather(values[v], csr.degree(v), edges[e]));
      reached.insert(csr.targets[e]);
    }
  }
  expected.reached.assign(reached.begin(), reached.end());
  return expected;
}

}  // namespace testing
}  // namespace gaspipe
