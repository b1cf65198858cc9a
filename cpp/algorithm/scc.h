// SPDX-License-Identifier: Apache-2.0
// Strongly connected components.
#pragma once

#include <algorithm>
#include <vector>

#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/rows.h"
#include "gaspipe/shape.h"

namespace gaspipe {
namespace algorithm {
namespace scc {

constexpr CpuDescription kDescription = {
    "Strongly connected component of every vertex: vertices that reach each other along the edges.",
    "Edge weights are ignored. A graph with all edges in both directions has the components of `wcc`.",
    "R. Tarjan, \"Depth-First Search and Linear Graph Algorithms\", SIAM J. Computing 1(2), 1972, "
    "doi:10.1137/0201010; D. Pearce, \"A Space-Efficient Algorithm for Finding Strongly Connected Components\", "
    "Information Processing Letters 116(1), 2016, doi:10.1016/j.ipl.2015.08.010."};

struct Parameters {
  template <class Visit>
  void each(Visit&&) {}
};

struct Answer {
  Array<std::int64_t> component;
  std::int64_t num_components = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("component", component, "the smallest vertex id in the component");
    visit("num_components", num_components, "how many there are");
  }
};

// Depth first, without recursion: of every vertex the row and how far in it the search is. A vertex's `low` is the
// smallest number, in order of discovery, that is known to be in its component.
template <class AnyRows>
class Search {
 public:
  Search(const AnyRows& rows, Workers& workers)
      : rows_(rows), workers_(workers), low_(rows.num_vertices(), 0), smallest_(rows.num_vertices(), kNoVertex) {}

  // The smallest vertex of every vertex's component.
  std::vector<VertexId> run() {
    for (VertexId v = 0; v < rows_.num_vertices(); ++v) {
      if (low_[v] == 0) from(v);
    }
    return std::move(smallest_);
  }

 private:
  struct Place {
    VertexId vertex;
    bool is_root;  // as far as is known
    EdgeCount at, last;
  };

  void enter(VertexId v) {
    low_[v] = ++count_;
    path_.push_back({v, true, rows_.begin(v), rows_.end(v)});
  }
  void from(VertexId start) {
    enter(start);
    while (!path_.empty()) {
      if ((++steps_ & 0xfff) == 0) workers_.check();
      Place& place = path_.back();
      VertexId next = kNoVertex;
      for (; place.at < place.last && next == kNoVertex; ++place.at) {
        const VertexId u = rows_.edge(place.at).neighbor();
        if (low_[u] == 0) {
          next = u;
        } else if (smallest_[u] == kNoVertex) {
          lower(place, low_[u]);
        }
      }
      if (next != kNoVertex) {
        rows_.prefetch_row(next);
        enter(next);
      } else {
        leave();
      }
    }
  }
  void lower(Place& place, VertexId low) {
    if (low >= low_[place.vertex]) return;
    low_[place.vertex] = low;
    place.is_root = false;
  }
  // Done with the last vertex of the path: it closes a component, or waits for the one that does.
  void leave() {
    const Place done = path_.back();
    path_.pop_back();
    if (!done.is_root) {
      waiting_.push_back(done.vertex);
      lower(path_.back(), low_[done.vertex]);
      return;
    }
    const auto is_of_it = [&](VertexId u) { return low_[u] >= low_[done.vertex]; };
    std::size_t first = waiting_.size();
    VertexId smallest = done.vertex;
    while (first > 0 && is_of_it(waiting_[first - 1])) smallest = std::min(smallest, waiting_[--first]);
    smallest_[done.vertex] = smallest;
    for (std::size_t i = first; i < waiting_.size(); ++i) smallest_[waiting_[i]] = smallest;
    waiting_.resize(first);
  }

  const AnyRows rows_;
  Workers& workers_;
  std::vector<VertexId> low_, smallest_;
  std::vector<Place> path_;
  std::vector<VertexId> waiting_;  // finished, their component is not
  VertexId count_ = 0;
  std::uint64_t steps_ = 0;
};

inline Answer run(CpuRun& run, const Parameters&) {
  const Csr& csr = *run.graph.csr();
  std::vector<VertexId> smallest;
  if (run.graph.is_symmetric(run.workers)) {
    smallest.resize(csr.num_rows);
    components(csr, true, smallest.data(), run.workers);
  } else {
    smallest = engine::with_rows(
        table_of(csr), [&](const auto& rows) { return Search<std::decay_t<decltype(rows)>>(rows, run.workers).run(); });
  }
  const Writable<std::int64_t> component(smallest.size());
  std::int64_t count = 0;
  for (std::size_t v = 0; v < smallest.size(); ++v) {
    component[v] = smallest[v];
    count += smallest[v] == v;
  }
  return {component.freeze(), count};
}

}  // namespace scc
}  // namespace algorithm
}  // namespace gaspipe
