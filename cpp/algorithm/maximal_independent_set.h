// SPDX-License-Identifier: Apache-2.0
// A maximal independent set, in rounds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/generate.h"
#include "gaspipe/rows.h"

namespace gaspipe {
namespace algorithm {
namespace maximal_independent_set {

constexpr CpuDescription kDescription = {
    "A maximal independent set: vertices of which no two are neighbors, and to which none can be added.",
    "All vertices are visited in a random order, and one is a member unless a neighbor is already. The order depends "
    "on `seed` alone, and so does the set. Directions of edges, self-loops, weights and repeated edges are ignored.",
    "M. Luby, \"A Simple Parallel Algorithm for the Maximal Independent Set Problem\", SIAM J. Computing 15(4), 1986, "
    "doi:10.1137/0215074; G. Blelloch, J. Fineman, J. Shun, \"Greedy Sequential Maximal Independent Set and Matching "
    "Are Parallel on Average\", SPAA 2012, doi:10.1145/2312005.2312058."};

struct Parameters {
  int seed = 0;
  template <class Visit>
  void each(Visit&& visit) {
    visit("seed", seed, Allowed::between(0, std::numeric_limits<int>::max()), "Another seed gives another order.");
  }
};

struct Answer {
  Array<bool> member;
  std::int64_t size = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("member", member, "whether the vertex is in the set");
    visit("size", size, "how many members there are");
  }
};

// A vertex is decided once all neighbors before it are, or one of them is a member. What is read of others while they
// are decided may be old: then a vertex waits for the next round, but decides the same.
template <class AnyRows>
class Rounds {
 public:
  Rounds(const AnyRows& rows, int seed, Workers& workers)
      : rows_(rows),
        workers_(workers),
        order_(seed, detail::RandomStream::kOrder),
        states_(rows.num_vertices()),
        seen_(rows.num_vertices()) {}

  Answer run() {
    const std::uint64_t n = rows_.num_vertices();
    std::vector<VertexId> open(n);
    workers_.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t v = first; v < last; ++v) {
        states_[v] = kOpen;
        seen_[v] = 0;
        open[v] = static_cast<VertexId>(v);
      }
    });
    workers_.phase("vertices", n);
    while (!open.empty()) {
      workers_.each(open.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
        for (std::uint64_t i = first; i < last; ++i) {
          if (i + engine::kRowsAhead < last) rows_.prefetch_row(open[i + engine::kRowsAhead]);
          if (state(open[i]) == kOpen) decide(open[i]);
        }
      });
      open.erase(std::remove_if(open.begin(), open.end(), [&](VertexId v) { return states_[v] != kOpen; }), open.end());
      workers_.done(n - open.size());
    }
    Answer answer;
    const Writable<bool> member(n);
    for (std::uint64_t v = 0; v < n; ++v) answer.size += member[v] = states_[v] == kMember;
    answer.member = member.freeze();
    return answer;
  }

 private:
  enum State : std::uint8_t { kOpen, kMember, kNeighbor };
  static constexpr std::uint64_t kGrain = 1 << 10;

  State state(VertexId v) const { return static_cast<State>(__atomic_load_n(states_.data() + v, __ATOMIC_RELAXED)); }
  void set(VertexId v, State state) const {
    __atomic_store_n(states_.data() + v, static_cast<std::uint8_t>(state), __ATOMIC_RELAXED);
  }

  void decide(VertexId v) const {
    const EdgeCount first = rows_.begin(v), last = rows_.end(v);
    const std::uint64_t turn = order_.word(v);
    for (EdgeCount e = first + seen_[v]; e < last; ++e) {
      const VertexId u = rows_.edge(e).neighbor();
      const State theirs = state(u);
      if (theirs == kMember) return set(v, kNeighbor);
      if (theirs == kNeighbor || order_.word(u) >= turn) continue;  // different vertices have different words
      seen_[v] = e - first;                                         // the edges before this one need no second look
      return;
    }
    set(v, kMember);
    for (const auto edge : rows_[v]) {
      if (edge.neighbor() != v) set(edge.neighbor(), kNeighbor);
    }
  }

  const AnyRows rows_;
  Workers& workers_;
  const detail::RandomStream order_;
  Writable<std::uint8_t> states_;
  Writable<EdgeCount> seen_;
};

inline Answer run(CpuRun& run, const Parameters& parameters) {
  const bool is_symmetric = run.graph.is_symmetric(run.workers);
  const std::shared_ptr<const Csr> csr = is_symmetric ? run.graph.csr() : run.view(View::kUndirected);
  return engine::with_rows(table_of(*csr), [&](const auto& rows) {
    return Rounds<std::decay_t<decltype(rows)>>(rows, parameters.seed, run.workers).run();
  });
}

}  // namespace maximal_independent_set
}  // namespace algorithm
}  // namespace gaspipe
