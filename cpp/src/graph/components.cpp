// SPDX-License-Identifier: Apache-2.0
// Components by union-find without locks: a root is hooked onto a smaller one by compare-and-swap, so that the root of
// a component ends as its smallest vertex whichever thread was first (S. Jayanti and R. Tarjan, PODC 2016,
// doi:10.1145/2933057.2933108); most edges are only looked at (Afforest: M. Sutton, T. Ben-Nun, A. Barak, IPDPS 2018,
// doi:10.1109/IPDPS.2018.00012).
#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "each_row.h"
#include "gaspipe/shape.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kLabelGrain = 1 << 16;

using detail::each_row;

// A parent for every vertex, in memory of the caller's; a root is its own. Loops use a copy: its pointer stays in a
// register then, which atomic operations else make the compiler read again.
class Forest {
 public:
  explicit Forest(VertexId* parents) : parents_(parents) {}

  VertexId load(VertexId v) const { return __atomic_load_n(parents_ + v, __ATOMIC_RELAXED); }
  void store(VertexId v, VertexId parent) const { __atomic_store_n(parents_ + v, parent, __ATOMIC_RELAXED); }
  // The root of v; the path to it is halved on the way.
  VertexId find(VertexId v) const {
    for (;;) {
      const VertexId parent = load(v);
      if (parent == v) return v;
      const VertexId above = load(parent);
      // A plain store: a vertex that is not a root never becomes one, and any vertex above it is a valid parent.
      if (above != parent) store(v, above);
      v = above;
    }
  }
  // True if they were of different trees.
  bool join(VertexId a, VertexId b) const {
    if (load(a) == load(b)) return false;
    for (;;) {
      a = find(a);
      b = find(b);
      if (a == b) return false;
      if (a < b) std::swap(a, b);
      if (replace(a, a, b)) return true;
    }
  }

 private:
  bool replace(VertexId v, VertexId parent, VertexId above) const {
    return __atomic_compare_exchange_n(parents_ + v, &parent, above, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }

  VertexId* parents_;
};

template <class Offset>
class Components {
 public:
  Components(const Csr& csr, const Offset* offsets, const VertexId* first_targets, VertexId* parents, Workers& workers)
      : csr_(csr),
        offsets_(offsets),
        targets_(csr.targets.data()),
        first_targets_(first_targets),
        forest_(parents),
        workers_(workers) {
    each([parents](VertexId v) { parents[v] = v; });
  }

  // Joins the ends of all edges, and leaves every vertex right under its root. A few edges of each vertex join most of
  // the largest component; what remains mostly leads from there to there, which one look at the parents tells. In a
  // symmetric graph the other end sees to the edges that lead out of it.
  void join_edges(bool is_symmetric) const {
    EdgeCount num_joined = 0;  // edges of every vertex
    workers_.step("looking", csr_.num_rows);
    if (first_targets_ != nullptr || leads_nearby()) hang_below_first();
    if (likely_largest().share < kLargeShare) {
      join_first();
      num_joined = kSampledEdges;
    }
    flatten();
    const VertexId largest = likely_largest().root;
    std::atomic<bool> joined{false};
    workers_.step("joining", csr_.num_edges());
    each_row(csr_.offsets, workers_, [&](std::uint64_t first, std::uint64_t last) {
      const Forest forest = forest_;
      const Offset* const offsets = offsets_;
      const VertexId* const targets = targets_;
      bool any = false;
      for (std::uint64_t v = first; v < last; ++v) {
        const VertexId parent = forest.load(static_cast<VertexId>(v));
        if (is_symmetric && parent == largest) continue;
        const EdgeCount end = offsets[v + 1];
        for (EdgeCount e = offsets[v] + num_joined; e < end; ++e) {
          if (forest.load(targets[e]) != parent) any |= forest.join(static_cast<VertexId>(v), targets[e]);
        }
      }
      if (any) joined.store(true, std::memory_order_relaxed);
    });
    if (joined) flatten();
  }

 private:
  // Whether the first edges of most vertices lead to one numbered not far from it.
  bool leads_nearby() const {
    const std::uint64_t n = csr_.num_rows, stride = n / kSampledVertices + 1;
    std::uint64_t num_near = 0, num_seen = 0;
    for (std::uint64_t v = stride / 2; v < n; v += stride) {
      if (offsets_[v] == offsets_[v + 1]) continue;
      const std::uint64_t target = targets_[offsets_[v]];
      num_near += (target < v ? v - target : target - v) <= n / 16;
      ++num_seen;
    }
    return num_near > num_seen / 2;
  }
  void join_first() const {
    each_row(csr_.offsets, workers_, [&](std::uint64_t first, std::uint64_t last) {
      const Forest forest = forest_;
      const Offset* const offsets = offsets_;
      const VertexId* const targets = targets_;
      const std::uint64_t n = csr_.num_rows;
      for (std::uint64_t v = first; v < last; ++v) {
        if (v + kRowsAhead < n) __builtin_prefetch(targets + offsets[v + kRowsAhead]);
        const EdgeCount end = std::min<EdgeCount>(offsets[v] + kSampledEdges, offsets[v + 1]);
        for (EdgeCount e = offsets[v]; e < end; ++e) forest.join(static_cast<VertexId>(v), targets[e]);
      }
    });
  }
  // A parent for every vertex whose first edge leads to a smaller one: the parent of that one, which is a root where
  // vertices were numbered along the edges. No other thread writes there yet, so no atomic exchange is needed.
  void hang_below_first() const {
    each_row(csr_.offsets, workers_, [&](std::uint64_t first, std::uint64_t last) {
      const Forest forest = forest_;
      const Offset* const offsets = offsets_;
      const VertexId* const targets = targets_;
      const std::uint64_t n = csr_.num_rows;
      if (const VertexId* const first_targets = first_targets_) {
        for (std::uint64_t v = first; v < last; ++v) {
          const VertexId target = first_targets[v];
          if (target < v) forest.store(static_cast<VertexId>(v), forest.load(forest.load(target)));
        }
        return;
      }
      for (std::uint64_t v = first; v < last; ++v) {
        if (v + kRowsAhead < n) __builtin_prefetch(targets + offsets[v + kRowsAhead]);
        if (offsets[v] == offsets[v + 1]) continue;
        const VertexId target = targets[offsets[v]];
        if (target < v) forest.store(static_cast<VertexId>(v), forest.load(forest.load(target)));
      }
    });
  }

  static constexpr EdgeCount kSampledEdges = 2;
  static constexpr std::uint64_t kRowsAhead = 16;
  static constexpr std::uint64_t kSampledVertices = 1024;
  static constexpr double kLargeShare = 0.25;

  void flatten() const {
    each([forest = forest_](VertexId v) {
      const VertexId root = forest.find(v);
      if (forest.load(v) != root) forest.store(v, root);
    });
  }
  struct Largest {
    VertexId root;
    double share;  // of the sampled vertices
  };
  Largest likely_largest() const {
    std::vector<VertexId> sample;
    const std::uint64_t stride = csr_.num_rows / kSampledVertices + 1;
    for (std::uint64_t v = stride / 2; v < csr_.num_rows; v += stride)
      sample.push_back(forest_.load(static_cast<VertexId>(v)));
    std::sort(sample.begin(), sample.end());
    VertexId largest = 0;
    std::size_t most = 0;
    for (std::size_t first = 0, i = 0; i < sample.size(); ++i) {
      if (sample[i] != sample[first]) first = i;
      if (i - first >= most) {
        most = i - first + 1;
        largest = sample[i];
      }
    }
    return {largest, static_cast<double>(most) / static_cast<double>(sample.size())};
  }
  template <class Body>
  void each(const Body& body) const {
    workers_.each(csr_.num_rows, kLabelGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      const Body own = body;
      for (std::uint64_t v = first; v < last; ++v) own(static_cast<VertexId>(v));
    });
  }

  const Csr& csr_;
  const Offset* offsets_;
  const VertexId* targets_;
  const VertexId* first_targets_;  // of every row; null where they are not at hand
  Forest forest_;
  Workers& workers_;
};

}  // namespace

void components(const Csr& csr, bool is_symmetric, VertexId* smallest, Workers& workers,
                const VertexId* first_targets) {
  const auto join_edges = [&](const auto* offsets) {
    Components(csr, offsets, first_targets, smallest, workers).join_edges(is_symmetric);
  };
  csr.offsets.is_wide() ? join_edges(csr.offsets.wide().data()) : join_edges(csr.offsets.narrow().data());
}

Array<VertexId> components(const Csr& csr, Workers& workers) {
  const Writable<VertexId> smallest(csr.num_rows);
  components(csr, /*is_symmetric=*/false, smallest.data(), workers);
  return smallest.freeze();
}

}  // namespace gaspipe
