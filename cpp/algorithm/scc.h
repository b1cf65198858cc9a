// SPDX-License-Identifier: Apache-2.0
// Strongly connected components.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "cpp/algorithm/common/reachable.h"
#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/rows.h"
#include "gaspipe/shape.h"

namespace gaspipe {
namespace algorithm {
namespace scc {

constexpr CpuDescription kDescription = {
    "Strongly connected component of every vertex: vertices that reach each other along the edges.",
    "Edge weights are ignored. A graph with all edges in both directions has the components of `wcc`.",
    "G. Slota, S. Rajamanickam, K. Madduri, \"BFS and Coloring-Based Parallel Algorithms for Strongly Connected "
    "Components and Related Problems\", IPDPS 2014, doi:10.1109/IPDPS.2014.64; R. Tarjan, \"Depth-First Search and "
    "Linear Graph Algorithms\", SIAM J. Computing 1(2), 1972, "
    "doi:10.1137/0201010; D. Pearce, \"A Space-Efficient Algorithm for Finding Strongly Connected Components\", "
    "Information Processing Letters 116(1), 2016, doi:10.1016/j.ipl.2015.08.010."};

struct Parameters {
  template <class Visit>
  void each(Visit&&) {}
};

struct Answer {
  Table<std::int64_t> component{"num_vertices", /*has_vertices=*/true};
  std::int64_t num_components = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("component", component, "the smallest vertex id in the component");
    visit("num_components", num_components, "how many there are");
  }
};

// Depth first, without recursion. A vertex has its number in order of discovery until its component is known. A row is
// read once, without a branch, when its vertex is found: what is new in it waits its turn, and its row is fetched.
template <class AnyRows>
class Search {
 public:
  // `smallest` is of every vertex the smallest one of its component; kNoVertex where that is to be found.
  Search(const AnyRows& rows, VertexId* smallest, Workers& workers)
      : rows_(rows), workers_(workers), number_(rows.num_vertices()), smallest_(smallest) {
    workers.each(rows.num_vertices(), 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t v = first; v < last; ++v) number_[v] = smallest[v] != kNoVertex ? kClosed : kNew;
    });
  }

  void run() {
    workers_.phase("vertices", rows_.num_vertices());
    for (VertexId v = 0; v < rows_.num_vertices(); ++v) {
      if (number_[v] == kNew) from(v);
    }
    workers_.done(rows_.num_vertices());
  }

 private:
  static constexpr VertexId kNew = kNoVertex, kClosed = kNoVertex - 1;  // above all numbers

  struct Place {
    VertexId vertex, number;
    VertexId low;           // the smallest number known to be in its component
    VertexId first_open;    // in open_: of the vertices found after it
    EdgeCount first_to_do;  // in to_do_: of the neighbors that were new
  };

  Place enter(VertexId v) {
    Place place{v, count_, count_, static_cast<VertexId>(open_.size()), num_to_do_};
    number_[v] = count_++;
    const EdgeCount degree = rows_.degree(v);
    if (to_do_.size() < num_to_do_ + degree) to_do_.resize(2 * (num_to_do_ + degree));
    VertexId* const to_do = to_do_.data();
    EdgeCount end = num_to_do_;
    VertexId low = place.low;
    for (const auto edge : rows_[v]) {
      const VertexId u = edge.neighbor(), number = number_[u];
      rows_.prefetch_row(u);
      to_do[end] = u;
      end += number == kNew;
      low = std::min(low, number);
    }
    num_to_do_ = end;
    place.low = low;
    return place;
  }
  void from(VertexId start) {
    Place place = enter(start);
    while (true) {
      if (num_to_do_ == place.first_to_do) {
        leave(place);
        if (path_.empty()) return;
        const VertexId low = place.low;
        place = path_.back();
        path_.pop_back();
        place.low = std::min(place.low, low);
        continue;
      }
      const VertexId u = to_do_[--num_to_do_];
      if (number_[u] == kNew) {
        if ((++steps_ & 0xfff) == 0) workers_.done(steps_);
        path_.push_back(place);
        place = enter(u);
      } else {
        place.low = std::min(place.low, number_[u]);
      }
    }
  }
  // Done with a vertex: it closes a component, or is open until one that was found before it does.
  void leave(const Place& place) {
    if (place.low < place.number) {
      open_.push_back(place.vertex);
      return;
    }
    VertexId smallest = place.vertex;
    for (std::size_t i = place.first_open; i < open_.size(); ++i) smallest = std::min(smallest, open_[i]);
    close(place.vertex, smallest);
    for (std::size_t i = place.first_open; i < open_.size(); ++i) close(open_[i], smallest);
    open_.resize(place.first_open);
  }
  void close(VertexId v, VertexId smallest) {
    smallest_[v] = smallest;
    number_[v] = kClosed;
  }

  const AnyRows rows_;
  Workers& workers_;
  const Writable<VertexId> number_;
  VertexId* const smallest_;
  std::vector<Place> path_;
  std::vector<VertexId> open_;   // finished, their component is not
  std::vector<VertexId> to_do_;  // by place of the path
  EdgeCount num_to_do_ = 0;
  VertexId count_ = 0;
  std::uint64_t steps_ = 0;
};

// Vertices without an edge in, or without one out, of those that are not done, are components: a pass over all.
template <class Out, class In>
void trim(const Out& out, const In& in, std::uint8_t* done, VertexId* smallest, Workers& workers) {
  constexpr std::uint64_t kGrain = 1 << 13;
  const auto is_alone = [&](const auto& rows, VertexId v) {
    for (const auto edge : rows[v]) {
      if (edge.neighbor() != v && __atomic_load_n(done + edge.neighbor(), __ATOMIC_RELAXED) == 0) return false;
    }
    return true;
  };
  workers.each(out.num_vertices(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      const auto v = static_cast<VertexId>(i);
      if (done[v] != 0 || !(is_alone(out, v) || is_alone(in, v))) continue;
      smallest[v] = v;
      __atomic_store_n(done + v, 1, __ATOMIC_RELAXED);
    }
  });
}

// The component of the vertex with the most edges in and out: what it reaches, of what reaches it. In most graphs it
// has most of the vertices.
template <class Out, class In>
void find_largest(const Out& out, const In& in, std::uint8_t* done, VertexId* smallest, Workers& workers) {
  const VertexId n = out.num_vertices();
  VertexId pivot = kNoVertex;
  double most = -1;
  for (VertexId v = 0; v < n; ++v) {
    const double edges = static_cast<double>(out.degree(v)) * static_cast<double>(in.degree(v));
    if (done[v] != 0 || edges <= most) continue;
    most = edges;
    pivot = v;
  }
  if (pivot == kNoVertex) return;
  Reachable forward(n, done, workers), backward(n, done, workers);
  forward.run(pivot, out, in);
  backward.run(pivot, in, out);
  VertexId first = 0;
  while (!(forward.has(first) && backward.has(first))) ++first;
  for (VertexId v = first; v < n; ++v) {
    if (!(forward.has(v) && backward.has(v))) continue;
    smallest[v] = first;
    done[v] = 1;
  }
}

// By all threads what can be, and depth first the rest. To make the reverse takes as long as a search of all: it is
// made where it is asked for again.
inline void strong_components(CpuRun& run, VertexId* smallest) {
  // Below, and where vertices have few edges, the search alone is quicker.
  constexpr EdgeCount kFewEdges = 1 << 18, kMeanDegree = 12;
  constexpr int kTrims = 2;
  const Csr& csr = *run.graph.csr();
  const abi::Csr table = table_of(csr);
  std::shared_ptr<const Csr> reverse;
  if (csr.num_edges() >= std::max(kFewEdges, kMeanDegree * csr.num_rows) && run.workers.size() > 1) {
    reverse = run.prepare(
        [&] { return run.graph.in_edges(View::kForward, /*with_weights=*/false, /*are_needed=*/false, run.workers); });
  }
  if (reverse) {
    std::vector<std::uint8_t> done(csr.num_rows, 0);
    const auto by_all = [&](const auto& out, const auto& in) {
      for (int pass = 0; pass < kTrims; ++pass) trim(out, in, done.data(), smallest, run.workers);
      find_largest(out, in, done.data(), smallest, run.workers);
      trim(out, in, done.data(), smallest, run.workers);
    };
    const abi::Csr reverse_table = table_of(*reverse);
    engine::with_rows(table, [&](const auto& out) {  // offsets of a borrowed graph may be wider than of its reverse
      engine::with_rows(reverse_table, [&](const auto& in) { by_all(out, in); });
    });
  }
  engine::with_rows(table,
                    [&](const auto& rows) { Search<std::decay_t<decltype(rows)>>(rows, smallest, run.workers).run(); });
}

inline Answer run(CpuRun& run, const Parameters&) {
  const Csr& csr = *run.graph.csr();
  const Writable<VertexId> smallest(csr.num_rows);
  if (run.graph.is_symmetric(run.workers)) {
    components(csr, true, smallest.data(), run.workers);
  } else {
    std::fill(smallest.data(), smallest.data() + csr.num_rows, kNoVertex);
    strong_components(run, smallest.data());
  }
  const Writable<std::int64_t> component(smallest.size());
  std::atomic<std::int64_t> count{0};
  run.workers.each(smallest.size(), 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
    std::int64_t own = 0;
    for (std::uint64_t v = first; v < last; ++v) {
      component[v] = smallest[v];
      own += smallest[v] == v;
    }
    count += own;
  });
  Answer answer;
  answer.component.values = component.freeze();
  answer.num_components = count;
  return answer;
}

}  // namespace scc
}  // namespace algorithm
}  // namespace gaspipe
