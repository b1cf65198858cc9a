// SPDX-License-Identifier: Apache-2.0
// Steps of a search in which the first hit settles a vertex: a small frontier is pushed; for a large one every vertex
// that is not settled pulls, and stops at the first in-edge that comes from the frontier. Functors are those of
// edge_map.h.
// Method: S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012,
// doi:10.1109/SC.2012.50.
#pragma once

#include <utility>

#include "gaspipe/engine/direction.h"
#include "gaspipe/engine/edge_map.h"

namespace gaspipe {
namespace engine {

constexpr EdgeCount kMostEdgesPushedAlone = 1 << 13;  // below, waking the threads gains nothing
constexpr std::uint64_t kSampledVertices = 1 << 9;
constexpr EdgeCount kMostEdgesSampled = 1 << 8;  // of a vertex
constexpr EdgeCount kMostEdgesPerHit = 4;

// Whether most edges may hit, and the branch on it is unpredictable: as in road networks. Branchless updates of small
// frontiers take 0.7 of the time then. On grids, whose hits are predictable, they would take 2.6 times as long.
inline bool are_hits_unpredictable(const abi::Csr& csr) {
  return csr.num_edges / kMostEdgesPerHit <= csr.num_vertices && has_uneven_rows(Rows<>(csr));
}

// Of one search. `num_own` of the vertices have in-edges here: the others are a domain's ghosts.
class FirstHitMap {
 public:
  FirstHitMap(const abi::Csr& csr, VertexId num_own, const PushPolicy& policy)
      : csr_(csr), policy_(policy), direction_(csr), open_(num_own) {}

  bool pulls() const { return always_pulls_ || direction_.pulls(); }
  void always_pull(const abi::Csr& in_edges) {
    in_edges_ = &in_edges;
    always_pulls_ = true;
  }

  // Chooses how the next step goes, and gives the frontier the form for it. `find_in_edges()`, asked once, returns null
  // where there are none to be had.
  template <class IsSettled, class FindInEdges>
  void choose(Workers& workers, Frontier& frontier, const IsSettled& is_settled, const FindInEdges& find_in_edges) {
    if (always_pulls_) return frontier.to_bitmap(workers);
    const auto pull_pays = [&] {
      if (!pull_looks_at_fewer(frontier, is_settled, workers.near_bytes())) return false;
      if (!std::exchange(asked_, true)) in_edges_ = find_in_edges();
      return in_edges_ != nullptr;
    };
    if (!direction_.choose(frontier, policy_.most_edges_alone, pull_pays)) return;
    if (direction_.pulls()) {
      frontier.to_bitmap(workers);
    } else {
      frontier.to_queue(workers);
    }
  }
  // Whether a step pushes so few edges that it needs no choice.
  bool is_small(EdgeCount edges) const { return !pulls() && edges <= policy_.most_edges_alone; }
  const PushPolicy& policy() const { return policy_; }
  // Of a frontier that was pushed elsewhere.
  void count_pushed(EdgeCount edges) { direction_.count_pushed(edges); }
  // `next` becomes the frontier that is hit. Returns the edges looked at.
  template <class Weight, class PullWeight, class Functor>
  EdgeCount step(Workers& workers, const Frontier& frontier, Frontier& next, const Functor& functor) {
    if (pulls()) {
      return with_rows<PullWeight>(
          *in_edges_, [&](const auto& rows) { return edge_map_pull(workers, rows, frontier, next, open_, functor); });
    }
    direction_.count_pushed(frontier.edges());
    with_rows<Weight>(csr_, [&](const auto& rows) { edge_map(workers, rows, frontier, next, functor, policy_); });
    return frontier.edges();
  }

 private:
  // Whether a pull would look at fewer edges than a push, by a sample of the vertices: in web crawls and road networks
  // most of those that are not settled have no neighbor in the frontier yet. In a symmetric graph their settled
  // neighbors are just that, and rows are what a pull would walk, in a domain the part of them that stays in it; for
  // others it is a guess.
  template <class IsSettled>
  bool pull_looks_at_fewer(const Frontier& frontier, const IsSettled& is_settled, std::uint64_t near_bytes) const {
    const Rows<> rows(csr_);
    const std::uint64_t n = open_.num_vertices, stride = n / kSampledVertices + 1;
    EdgeCount looked_at = 0, looked_at_in_vain = 0;
    for (std::uint64_t v = stride / 2; v < n; v += stride) {
      if (is_settled(static_cast<VertexId>(v))) continue;
      EdgeCount of_vertex = 0;
      bool is_hit = false;
      for (const auto edge : rows[static_cast<VertexId>(v)].first(kMostEdgesSampled)) {
        ++of_vertex;
        is_hit = is_settled(edge.neighbor());
        if (is_hit) break;
      }
      (is_hit ? looked_at : looked_at_in_vain) += of_vertex;
    }
    if (n > 0) looked_at += looked_at_in_vain * (rows.num_vertices() / n);
    // A push looks at properties, a pull at bits, which a cache has for longer. On a uniform graph of 2^22 vertices
    // pushing 26.7 M edges takes twice as long as looking at 17.1 M.
    const bool near = rows.num_vertices() * sizeof(std::uint32_t) <= near_bytes;
    const EdgeCount pushed = near ? frontier.edges() / 2 : frontier.edges();
    return looked_at * stride + n <= pushed;
  }

  const abi::Csr& csr_;
  const PushPolicy policy_;
  Direction direction_;
  OpenVertices open_;
  bool always_pulls_ = false;
  bool asked_ = false;  // for in_edges_
  const abi::Csr* in_edges_ = nullptr;
};

}  // namespace engine
}  // namespace gaspipe
