// SPDX-License-Identifier: Apache-2.0
// The minimum spanning forest of rows with weights, by Boruvka's algorithm: over the rows first, then over a list of
// the light edges, then over those of the rest that still join two trees.
// Method: J. Nesetril, E. Milkova, H. Nesetrilova, "Otakar Boruvka on Minimum Spanning Tree Problem", Discrete
// Mathematics 233, 2001, doi:10.1016/S0012-365X(00)00224-7; V. Osipov, P. Sanders, J. Singler, "The Filter-Kruskal
// Minimum Spanning Tree Algorithm", ALENEX 2009, doi:10.1137/1.9781611972894.5.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpp/algorithm/common/by_ends.h"
#include "gaspipe/rows.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace algorithm {

// Weights as unsigned numbers in the same order, and back: all types share one code, and integers of 64 bits stay
// exact.
namespace order {
constexpr std::uint64_t kTop = std::uint64_t(1) << 63;
inline std::uint64_t of(std::int64_t weight) { return static_cast<std::uint64_t>(weight) ^ kTop; }
inline std::uint64_t of(std::int32_t weight) { return of(std::int64_t(weight)); }
inline std::uint64_t of(double weight) {
  const double number = weight + 0.0;  // -0 is 0
  std::uint64_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return (bits & kTop) != 0 ? ~bits : bits | kTop;
}
inline std::uint64_t of(float weight) { return of(double(weight)); }
inline std::uint64_t of(engine::Unweighted) { return of(std::int64_t(1)); }

inline std::int64_t integer(std::uint64_t order) { return static_cast<std::int64_t>(order ^ kTop); }
inline double real(std::uint64_t order) {
  const std::uint64_t bits = (order & kTop) != 0 ? order ^ kTop : ~order;
  double number;
  std::memcpy(&number, &bits, sizeof(bits));
  return number;
}
}  // namespace order

// u < v. All edges of a graph have their place in one order, so there is one forest only.
struct OrderedEdge {
  std::uint64_t order;
  VertexId u, v;

  bool operator<(const OrderedEdge& other) const {
    if (order != other.order) return order < other.order;
    return u != other.u ? u < other.u : v < other.v;
  }
};

// From rows that are sorted, without repetition, and symmetric.
template <class AnyRows>
class SpanningForest {
 public:
  SpanningForest(const AnyRows& rows, Workers& workers)
      : rows_(rows),
        workers_(workers),
        parent_(rows.num_vertices()),
        edge_(rows.num_vertices()),
        lightest_(rows.num_vertices()) {}

  // The edges of the forest, by u and v.
  Writable<OrderedEdge> run() {
    if (kAreEqual) return take_first();
    workers_.phase("rounds", 0);
    take_lightest();
    std::uint64_t num_rounds = 1;
    for (std::uint64_t share = kShare; trees_.size() > 1; share *= 2) {
      workers_.done(num_rounds++);
      const std::optional<OrderedEdge> limit = limit_for(share * trees_.size());
      if (!limit) {
        join(collect([](const OrderedEdge&) { return true; }));
        break;
      }
      join(collect([most = *limit](const OrderedEdge& edge) { return !(most < edge); }));
      each_vertex([&](VertexId v) { hang_below_root(v); });
    }
    return by_ends(edge_, rows_.num_vertices(), workers_);
  }

 private:
  static constexpr std::uint64_t kGrain = 1 << 10, kTreeGrain = 1 << 12, kSampled = 1 << 11;
  static constexpr bool kAreEqual =
      std::is_same_v<decltype(std::declval<AnyRows>().edge(0).weight()), engine::Unweighted>;
  static constexpr std::uint64_t kShare = 3;  // light edges for every tree

  // An edge and the trees that it joins.
  struct Join {
    OrderedEdge edge;
    VertexId a, b;
  };
  using Joins = std::vector<std::vector<Join>>;

  static OrderedEdge edge_of(VertexId a, VertexId b, std::uint64_t order) {
    return {order, std::min(a, b), std::max(a, b)};
  }
  VertexId load(VertexId v) const { return __atomic_load_n(parent_.data() + v, __ATOMIC_RELAXED); }
  void store(VertexId v, VertexId parent) const { __atomic_store_n(parent_.data() + v, parent, __ATOMIC_RELAXED); }
  void hang_below_root(VertexId v) const {
    VertexId root = load(v);
    for (VertexId above = load(root); above != root; above = load(root)) root = above;
    store(v, root);
  }

  template <class Body>
  void each_vertex(const Body& body) const {
    workers_.each(rows_.num_vertices(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t v = first; v < last; ++v) body(static_cast<VertexId>(v));
    });
  }
  template <class Body>
  void each_tree(const Body& body) const {
    workers_.each(trees_.size(), kTreeGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t i = first; i < last; ++i) body(trees_[i]);
    });
  }

  // Of equal edges: Kruskal's algorithm in the order of the rows, where most vertices are right under their root. One
  // thread does it sooner than several take what follows.
  Writable<OrderedEdge> take_first() const {
    const VertexId n = rows_.num_vertices();
    VertexId* const parent = parent_.data();
    const auto root_of = [parent](VertexId v) {
      while (parent[v] != v) v = parent[v] = parent[parent[v]];
      return v;
    };
    each_vertex([&](VertexId v) { parent[v] = v; });
    Writable<OrderedEdge> found(n);
    std::uint64_t num_found = 0;
    workers_.phase("vertices", n);
    for (VertexId u = 0; u < n; ++u) {
      if (u % kGrain == 0) workers_.done(u);
      VertexId root = root_of(u);
      for (const auto edge : rows_[u]) {
        const VertexId v = edge.neighbor();
        if (v <= u || parent[v] == root) continue;
        const VertexId other = root_of(v);
        if (other == root) continue;
        parent[std::max(root, other)] = std::min(root, other);
        root = std::min(root, other);
        found[num_found++] = {order::of(edge.weight()), u, v};
      }
    }
    workers_.done(n);
    found.truncate(num_found);
    return found;
  }

  // Every vertex joins the other end of its lightest edge, which is in the forest. Of two that chose the same edge the
  // smaller is the root of a tree. Every other vertex keeps the edge that ended its being a root.
  void take_lightest() {
    each_vertex([&](VertexId v) {
      std::uint64_t least = 0;
      VertexId to = v;
      for (const auto edge : rows_[v]) {
        // Of equal weights the first is before the others.
        const std::uint64_t order = order::of(edge.weight());
        if ((to != v && order >= least) || edge.neighbor() == v) continue;
        to = edge.neighbor();
        least = order;
      }
      parent_[v] = to;
      edge_[v] = to == v ? OrderedEdge{0, kNoVertex, kNoVertex} : edge_of(v, to, least);
    });
    std::vector<std::vector<VertexId>> roots(static_cast<std::size_t>(workers_.size()));
    workers_.each(rows_.num_vertices(), kGrain, [&](std::uint64_t first, std::uint64_t last, int worker) {
      for (std::uint64_t i = first; i < last; ++i) {
        const auto v = static_cast<VertexId>(i);
        const VertexId to = load(v);
        if (to > v && load(to) == v) roots[static_cast<std::size_t>(worker)].push_back(v);
      }
    });
    for (const std::vector<VertexId>& found : roots) trees_.insert(trees_.end(), found.begin(), found.end());
    each_tree([&](VertexId root) {
      parent_[root] = root;
      edge_[root].u = kNoVertex;
    });
    each_vertex([&](VertexId v) { hang_below_root(v); });
  }

  // An edge before which there are about `wanted` that join two trees; none where there are not many more.
  std::optional<OrderedEdge> limit_for(std::uint64_t wanted) const {
    std::vector<OrderedEdge> sample;
    const EdgeCount stride = rows_.num_edges() / kSampled;
    for (std::uint64_t i = 0; i < kSampled && stride > 0; ++i) {
      const EdgeCount at = stride * i + (i * 0x9e3779b97f4a7c15u >> 32) % stride;
      const VertexId v = row_of(at);
      const auto edge = rows_.edge(at);
      if (parent_[v] == parent_[edge.neighbor()]) continue;
      sample.push_back(edge_of(v, edge.neighbor(), order::of(edge.weight())));
    }
    const std::uint64_t num_left = stride * sample.size() / 2;
    if (num_left < 2 * wanted) return {};
    std::sort(sample.begin(), sample.end());
    return sample[wanted * sample.size() / num_left];
  }
  VertexId row_of(EdgeCount e) const {
    std::uint64_t low = 0, high = rows_.num_vertices();
    while (high - low > 1) {
      const std::uint64_t middle = (low + high) / 2;
      (rows_.offset(middle) <= e ? low : high) = middle;
    }
    return static_cast<VertexId>(low);
  }

  // The edges that join two trees, of those that are wanted.
  template <class IsWanted>
  Joins collect(const IsWanted& is_wanted) const {
    constexpr std::size_t kFound = 256;
    const std::uint64_t n = rows_.num_vertices();
    const VertexId* const tree = parent_.data();
    Joins joins((n - 1) / kGrain + 1);
    workers_.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      const AnyRows rows = rows_;
      std::vector<Join> mine;
      Join found[kFound];
      std::size_t num_found = 0;
      for (std::uint64_t i = first; i < last; ++i) {
        const auto u = static_cast<VertexId>(i);
        const VertexId tree_of_u = tree[u];
        for (const auto edge : rows[u]) {
          const VertexId v = edge.neighbor();
          if (v <= u) continue;
          const OrderedEdge one{order::of(edge.weight()), u, v};
          if (!is_wanted(one)) continue;
          // Without a branch, which would be unpredictable.
          found[num_found] = {one, tree_of_u, tree[v]};
          num_found += tree[v] != tree_of_u;
          if (num_found < kFound) continue;
          mine.insert(mine.end(), found, found + num_found);
          num_found = 0;
        }
      }
      mine.insert(mine.end(), found, found + num_found);
      joins[first / kGrain] = std::move(mine);
    });
    return joins;
  }

  // Boruvka's algorithm: every tree joins another by its lightest edge, until no edge joins two.
  void join(Joins joins) {
    while (!joins.empty()) {
      each_tree([&](VertexId tree) { lightest_[tree] = nullptr; });
      workers_.each(joins.size(), 1, [&](std::uint64_t i, std::uint64_t, int) {
        for (const Join& one : joins[i]) {
          make_lightest(one.a, one);
          make_lightest(one.b, one);
        }
      });
      each_tree([&](VertexId tree) {
        const Join* const best = lightest_[tree];
        if (best == nullptr) return;
        const VertexId other = best->a == tree ? best->b : best->a;
        if (lightest_[other] == best && tree < other) return;
        store(tree, other);
        edge_[tree] = best->edge;
      });
      each_tree([&](VertexId tree) { hang_below_root(tree); });
      trees_.erase(std::remove_if(trees_.begin(), trees_.end(), [&](VertexId tree) { return parent_[tree] != tree; }),
                   trees_.end());
      workers_.each(joins.size(), 1, [&](std::uint64_t i, std::uint64_t, int) {
        Join* kept = joins[i].data();
        for (const Join& one : joins[i]) {
          const VertexId a = parent_[one.a], b = parent_[one.b];
          *kept = {one.edge, a, b};
          kept += a != b;
        }
        joins[i].resize(static_cast<std::size_t>(kept - joins[i].data()));
      });
      joins.erase(std::remove_if(joins.begin(), joins.end(), [](const auto& some) { return some.empty(); }),
                  joins.end());
    }
  }
  void make_lightest(VertexId tree, const Join& join) const {
    const Join** const place = lightest_.data() + tree;
    const Join* known = __atomic_load_n(place, __ATOMIC_RELAXED);
    while ((known == nullptr || join.edge < known->edge) &&
           !__atomic_compare_exchange_n(place, &known, &join, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
  }

  const AnyRows rows_;
  Workers& workers_;
  const Writable<VertexId> parent_;       // of a root itself
  const Writable<OrderedEdge> edge_;      // of a vertex that is no root: in the forest
  const Writable<const Join*> lightest_;  // of a root: where it is joined next
  std::vector<VertexId> trees_;           // roots of those that have edges
};

}  // namespace algorithm
}  // namespace gaspipe
