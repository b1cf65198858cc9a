// SPDX-License-Identifier: Apache-2.0
// The k-truss, and the trussness of edges, by peeling one number of triangles after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "cpp/algorithm/common/by_ends.h"
#include "cpp/algorithm/common/edge_rows.h"
#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/rows.h"

namespace gaspipe {
namespace algorithm {
namespace k_truss {

constexpr CpuDescription kDescription = {
    "The k-truss: the largest part of the graph in which every edge is in k - 2 triangles or more.",
    "Triangles within that part count, so its edges hold together. The trussness of an edge is the largest k for which "
    "it is in the k-truss; with k=2 the answer has all edges. Directions of edges, self-loops, weights and repeated "
    "edges are ignored. NetworkX's `k_truss`, and igraph's `trussness`.",
    "H. Kabir, K. Madduri, \"Shared-memory Graph Truss Decomposition\", HiPC 2017, doi:10.48550/arXiv.1707.02000."};

struct Parameters {
  int k = 3;

  template <class Visit>
  void each(Visit&& visit) {
    visit("k", k, Allowed::between(2, std::numeric_limits<int>::max()), "Which truss.");
  }
};

struct Answer {
  Table<VertexId> edges{"num_edges, 2", /*has_vertices=*/true};
  Table<std::int64_t> trussness{"num_edges"};
  std::int64_t num_vertices = 0;
  std::int64_t max_trussness = 0;

  template <class Visit>
  void each(Visit&& visit) {
    visit("edges", edges, "the edges of the k-truss, ascending; the smaller end first");
    visit("trussness", trussness, "of each");
    visit("num_vertices", num_vertices, "vertices of the k-truss: the ends of its edges");
    visit("max_trussness", max_trussness, "of all edges of the graph; 0 without edges");
  }
};

// The count of an edge falls as triangles are taken off, down to the level that is being peeled; then it is final.
template <class Id>
class Peeling {
 public:
  Peeling(EdgeRows<Id>& rows, Workers& workers)
      : rows_(rows),
        workers_(workers),
        count_(count_triangles(rows, workers)),
        state_(rows.edges.size()),
        left_(rows.edges.size()),
        scratches_(static_cast<std::size_t>(workers.size())) {
    workers.each(left_.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t e = first; e < last; ++e) {
        left_[e] = static_cast<Id>(e);
        state_[e] = kLeft;
      }
    });
  }

  // The trussness of every edge, less 2.
  Writable<std::uint32_t> run() {
    const std::uint64_t num_edges = left_.size();
    workers_.phase("edges", num_edges);
    for (;;) {
      workers_.done(num_edges - (left_.size() - num_peeled_));
      find_lowest();
      if (open_.empty()) return std::move(count_);
      while (!open_.empty()) peel();
      if (num_peeled_ > left_.size() / kShare) drop_peeled();
    }
  }

 private:
  static constexpr std::uint64_t kGrain = 1 << 14, kRowGrain = 1 << 9, kPeelGrain = 1 << 8, kShare = 8;
  enum State : std::uint8_t { kLeft, kOpen, kPeeled };
  using Entry = typename EdgeRows<Id>::Entry;

  struct Scratch {
    std::vector<Id> edge;  // by neighbor of the vertex at hand, plus 1
    std::vector<Id> found;
    std::uint32_t lowest;
  };

  std::uint32_t count_of(Id edge) const { return __atomic_load_n(count_.data() + edge, __ATOMIC_RELAXED); }

  // The edges with the fewest triangles, of those that are left.
  void find_lowest() {
    for (Scratch& scratch : scratches_) {
      scratch.lowest = std::numeric_limits<std::uint32_t>::max();
      scratch.found.clear();
    }
    workers_.each(left_.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      Scratch& mine = scratches_[static_cast<std::size_t>(worker)];
      for (std::uint64_t i = first; i < last; ++i) {
        const Id edge = left_[i];
        if (state_[edge] == kPeeled || count_[edge] > mine.lowest) continue;
        if (count_[edge] < mine.lowest) mine.found.clear();
        mine.lowest = count_[edge];
        mine.found.push_back(edge);
      }
    });
    level_ = std::numeric_limits<std::uint32_t>::max();
    for (const Scratch& scratch : scratches_) level_ = std::min(level_, scratch.lowest);
    for (Scratch& scratch : scratches_) {
      if (scratch.lowest != level_) scratch.found.clear();
    }
    open_found();
  }

  // What workers have found, by number: so edges of one vertex are together.
  void open_found() {
    open_.clear();
    for (const Scratch& scratch : scratches_) open_.insert(open_.end(), scratch.found.begin(), scratch.found.end());
    if (!std::is_sorted(open_.begin(), open_.end())) std::sort(open_.begin(), open_.end());
  }

  void peel() {
    if (level_ > 0) {
      workers_.each(open_.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
        for (std::uint64_t i = first; i < last; ++i) state_[open_[i]] = kOpen;
      });
      for (Scratch& scratch : scratches_) scratch.found.clear();
      workers_.each(open_.size(), kPeelGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
        Scratch& mine = scratches_[static_cast<std::size_t>(worker)];
        if (mine.edge.empty()) mine.edge.resize(rows_.num_vertices(), 0);
        for (std::uint64_t i = first; i < last && !workers_.poll(worker);) i = take_off(i, last, mine);
      });
    } else {
      for (Scratch& scratch : scratches_) scratch.found.clear();
    }
    workers_.each(open_.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t i = first; i < last; ++i) state_[open_[i]] = kPeeled;
    });
    num_peeled_ += open_.size();
    open_found();
  }

  // The triangles of open_[i] and the edges after it that have the same end of higher degree.
  std::uint64_t take_off(std::uint64_t i, std::uint64_t last, Scratch& mine) {
    Id* const edge_to = mine.edge.data();
    const Entry* const entries = rows_.entries.data();
    const VertexId u = rows_.edges[open_[i]].high;
    for (EdgeCount e = rows_.begins[u]; e < rows_.ends[u]; ++e) edge_to[entries[e].neighbor] = entries[e].edge + 1;
    for (; i < last && rows_.edges[open_[i]].high == u; ++i) {
      const Id uv = open_[i];
      const VertexId v = rows_.edges[uv].low;
      for (EdgeCount e = rows_.begins[v]; e < rows_.ends[v]; ++e) {
        if (edge_to[entries[e].neighbor] == 0) continue;
        const Id vw = entries[e].edge, uw = edge_to[entries[e].neighbor] - 1;
        const std::uint8_t of_vw = state_[vw], of_uw = state_[uw];
        if (of_vw == kPeeled || of_uw == kPeeled) continue;
        // Of two edges that are peeled now, the first takes the triangle off the third.
        if (of_vw == kLeft && (of_uw == kLeft || uv < uw)) lower(vw, mine);
        if (of_uw == kLeft && (of_vw == kLeft || uv < vw)) lower(uw, mine);
      }
    }
    for (EdgeCount e = rows_.begins[u]; e < rows_.ends[u]; ++e) edge_to[entries[e].neighbor] = 0;
    return i;
  }

  void lower(Id edge, Scratch& mine) {
    if (count_of(edge) <= level_) return;
    const std::uint32_t before = __atomic_fetch_sub(count_.data() + edge, 1, __ATOMIC_RELAXED);
    if (before == level_ + 1) mine.found.push_back(edge);
    if (before <= level_) __atomic_fetch_add(count_.data() + edge, 1, __ATOMIC_RELAXED);  // another was faster
  }

  void drop_peeled() {
    num_peeled_ = 0;
    left_.erase(std::remove_if(left_.begin(), left_.end(), [&](Id edge) { return state_[edge] == kPeeled; }),
                left_.end());
    workers_.each(rows_.num_vertices(), kRowGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t v = first; v < last; ++v) {
        Entry* const begin = rows_.entries.data() + rows_.begins[v];
        Entry* const end = rows_.entries.data() + rows_.ends[v];
        rows_.ends[v] -= static_cast<EdgeCount>(
            end - std::remove_if(begin, end, [&](const Entry& entry) { return state_[entry.edge] == kPeeled; }));
      }
    });
  }

  EdgeRows<Id>& rows_;  // `lower` is out of date once edges have been dropped
  Workers& workers_;
  Writable<std::uint32_t> count_;
  const Writable<std::uint8_t> state_;
  std::vector<Id> left_;  // edges, with some that are peeled
  std::vector<Id> open_;  // at the level
  std::vector<Scratch> scratches_;
  std::uint64_t num_peeled_ = 0;  // of those in left_
  std::uint32_t level_ = 0;
};

struct TrussEdge {
  VertexId u, v;
  std::uint32_t trussness;
};

template <class Id, class AnyRows>
Answer answer_of(const AnyRows& of_graph, std::uint32_t k, Workers& workers) {
  constexpr std::uint64_t kGrain = 1 << 14;
  EdgeRows<Id> rows = number_edges<Id>(of_graph, workers);
  const Writable<std::uint32_t> counts = Peeling<Id>(rows, workers).run();
  const VertexId n = rows.num_vertices();
  const Writable<TrussEdge> all(counts.size());
  std::vector<std::uint32_t> most(static_cast<std::size_t>(workers.size()), 0);
  std::vector<std::uint8_t> is_in(n, 0);
  workers.each(counts.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
    std::uint32_t& mine = most[static_cast<std::size_t>(worker)];
    for (std::uint64_t e = first; e < last; ++e) {
      const std::uint32_t trussness = counts[e] + 2;
      mine = std::max(mine, trussness);
      const VertexId a = rows.vertex[rows.edges[e].high], b = rows.vertex[rows.edges[e].low];
      all[e] = {std::min(a, b), std::max(a, b), trussness};
      if (trussness < k) {
        all[e].u = kNoVertex;
        continue;
      }
      __atomic_store_n(is_in.data() + a, 1, __ATOMIC_RELAXED);
      __atomic_store_n(is_in.data() + b, 1, __ATOMIC_RELAXED);
    }
  });
  const Writable<TrussEdge> found = by_ends(all, n, workers);
  const Writable<VertexId> ends(2 * found.size());
  const Writable<std::int64_t> trussness(found.size());
  workers.each(found.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t e = first; e < last; ++e) {
      ends[2 * e] = found[e].u;
      ends[2 * e + 1] = found[e].v;
      trussness[e] = found[e].trussness;
    }
  });
  return {{"num_edges, 2", true, ends.freeze(), 2},
          {"num_edges", false, trussness.freeze()},
          std::count(is_in.begin(), is_in.end(), 1),
          *std::max_element(most.begin(), most.end())};
}

inline Answer run(CpuRun& run, const Parameters& parameters) {
  const std::shared_ptr<const Csr> csr = run.view(View::kUndirected);
  const engine::Rows<> rows(table_of(*csr));
  const auto k = static_cast<std::uint32_t>(parameters.k);
  // Numbers of edges, and one more.
  return rows.num_edges() / 2 < std::numeric_limits<std::uint32_t>::max()
             ? answer_of<std::uint32_t>(rows, k, run.workers)
             : answer_of<std::uint64_t>(rows, k, run.workers);
}

}  // namespace k_truss
}  // namespace algorithm
}  // namespace gaspipe
