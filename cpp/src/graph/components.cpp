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

constexpr std::uint64_t kLabelGrain = 1 << 16, kEdgeGrain = 1 << 18, kEdgeBlock = 1 << 8;

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
    each_chunk([parents](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t v = first; v < last; ++v) parents[v] = static_cast<VertexId>(v);
    });
  }

  // Joins the ends of all edges, and leaves every vertex right under its root. A few edges of each vertex join most of
  // the largest component; then come the edges of other vertices, and the others that lead out of it. In a symmetric
  // graph these are the same.
  void join_edges(bool is_symmetric) const {
    if (csr_.num_rows == 0) return;
    EdgeCount num_joined = 0;  // edges of every vertex
    workers_.step("looking", csr_.num_rows);
    const bool hangs = first_targets_ != nullptr || leads_nearby();
    if (hangs) hang_below_first();
    const Gathered gathered = hangs ? Gathered{} : gather_around_hub();
    if (likely_largest().share < kLargeShare) {
      join_first();
      num_joined = kSampledEdges;
    }
    flatten(likely_largest().parent);
    const VertexId largest = likely_largest().parent;
    const Writable<std::uint8_t> is_in_largest = members(largest, is_symmetric ? 0 : csr_.num_rows);
    std::atomic<bool> joined{false};
    workers_.step("joining", csr_.num_edges());
    join_others(largest, num_joined, joined);
    if (!is_symmetric) join_targets_outside(is_in_largest.data(), joined);
    if (gathered.are_most && gathered.smallest < forest_.find(gathered.root)) {
      forest_.store(forest_.find(gathered.root), gathered.smallest);
      forest_.store(gathered.smallest, gathered.smallest);
      joined = true;
    }
    if (joined) flatten(largest);
  }

 private:
  // Whether most vertices with edges are right under one root, of which another may be the smallest.
  struct Gathered {
    bool are_most = false;
    VertexId root = 0, smallest = 0;
  };
  // Where a hub is next to nearly all that has edges, or to a neighbor of it: every vertex that is, under one root. A
  // vertex is written by one thread, so no atomic exchange is needed, and most need a look at one or two edges.
  Gathered gather_around_hub() const {
    const VertexId hub = largest_row();
    const VertexId* const row = targets_ + offsets_[hub];
    const EdgeCount num_edges = offsets_[hub + 1] - offsets_[hub];
    const auto each_in_row = [&](const auto& body) {
      workers_.each(num_edges, kLabelGrain, [&](std::uint64_t first, std::uint64_t last, int) { body(first, last); });
    };
    const auto hang_row = [&](VertexId root) {
      each_in_row([&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t e = first; e < last; ++e) forest_.store(row[e], root);
      });
      forest_.store(hub, root);
    };
    std::atomic<VertexId> smallest{hub};
    each_in_row(
        [&](std::uint64_t first, std::uint64_t last) { lower(smallest, *std::min_element(row + first, row + last)); });
    VertexId root = smallest;
    hang_row(root);
    if (!reaches_most(root)) return {};
    // Mostly the smallest of all: then no vertex needs another root in the end.
    const VertexId first_under = std::min<VertexId>(root, kSampledVertices);
    for (VertexId v = 0; v < first_under; ++v) {
      if (!leads_to(root, forest_, targets_ + offsets_[v], offsets_[v + 1] - offsets_[v])) continue;
      hang_row(root = v);
      break;
    }
    smallest = root;
    each_row(csr_.offsets, workers_, [&](std::uint64_t first, std::uint64_t last) {
      const Forest forest = forest_;
      const Offset* const offsets = offsets_;
      const VertexId* const targets = targets_;
      const std::uint64_t n = csr_.num_rows;
      VertexId found = root;
      for (std::uint64_t v = first; v < last; ++v) {
        if (v + kRowsAhead < n) __builtin_prefetch(targets + offsets[v + kRowsAhead]);
        if (forest.load(static_cast<VertexId>(v)) == root) continue;
        if (!leads_to(root, forest, targets + offsets[v], offsets[v + 1] - offsets[v])) continue;
        forest.store(static_cast<VertexId>(v), root);
        found = std::min(found, static_cast<VertexId>(v));
      }
      lower(smallest, found);
    });
    return {true, root, smallest};
  }
  static void lower(std::atomic<VertexId>& least, VertexId found) {
    VertexId known = least.load(std::memory_order_relaxed);
    while (found < known && !least.compare_exchange_weak(known, found, std::memory_order_relaxed)) {
    }
  }
  VertexId largest_row() const {
    std::atomic<std::uint64_t> largest{0};  // its edges, and its number
    each_chunk([&](std::uint64_t first, std::uint64_t last) {
      const Offset* const offsets = offsets_;
      std::uint64_t most = 0, row = first;
      for (std::uint64_t v = first; v < last; ++v) {
        const std::uint64_t num_edges = offsets[v + 1] - offsets[v];
        if (num_edges > most) {
          most = num_edges;
          row = v;
        }
      }
      constexpr std::uint64_t kMost = (std::uint64_t(1) << 32) - 1;
      const std::uint64_t found = std::min(most, kMost) << 32 | row;
      std::uint64_t known = largest.load(std::memory_order_relaxed);
      while (found > known && !largest.compare_exchange_weak(known, found, std::memory_order_relaxed)) {
      }
    });
    return static_cast<VertexId>(largest);
  }
  // As one condition: which of both it is cannot be predicted, but that one is.
  static bool either_is_zero(std::uint32_t a, std::uint32_t b) { return std::uint64_t(a) * b == 0; }
  // Whether one of some first edges leads to a vertex under `root`.
  static bool leads_to(VertexId root, const Forest& forest, const VertexId* targets, EdgeCount num_edges) {
    for (EdgeCount e = 0; e < std::min(num_edges, kLookedAt); ++e) {
      if (forest.load(targets[e]) == root) return true;
    }
    return false;
  }
  // Whether most vertices with edges, by a sample, are under `root` or have an edge there among their first ones.
  bool reaches_most(VertexId root) const {
    const std::uint64_t n = csr_.num_rows, stride = n / kSampledVertices + 1;
    std::uint64_t num_reached = 0, num_seen = 0;
    for (std::uint64_t v = stride / 2; v < n; v += stride) {
      const EdgeCount num_edges = offsets_[v + 1] - offsets_[v];
      if (num_edges == 0) continue;
      num_reached +=
          forest_.load(static_cast<VertexId>(v)) == root || leads_to(root, forest_, targets_ + offsets_[v], num_edges);
      ++num_seen;
    }
    return num_reached > num_seen - num_seen / 4;
  }
  // Joins the ends of the edges of vertices outside the largest tree.
  void join_others(VertexId largest, EdgeCount num_joined, std::atomic<bool>& joined) const {
    each_row(csr_.offsets, workers_, [&](std::uint64_t first, std::uint64_t last) {
      const Forest forest = forest_;
      const Offset* const offsets = offsets_;
      const VertexId* const targets = targets_;
      bool any = false;
      for (std::uint64_t row = first; row < last; ++row) {
        const auto v = static_cast<VertexId>(row);
        const EdgeCount begin = offsets[v] + num_joined, end = offsets[row + 1];
        if (either_is_zero(begin < end, forest.load(v) ^ largest)) continue;
        if (forest.find(v) == forest.find(largest)) continue;  // it may hang elsewhere by now
        for (EdgeCount e = begin; e < end; ++e) any |= forest.join(v, targets[e]);
      }
      if (any) joined.store(true, std::memory_order_relaxed);
    });
  }
  // Of the first `num` vertices, whether they are right under `root`.
  Writable<std::uint8_t> members(VertexId root, VertexId num) const {
    const Writable<std::uint8_t> is_member(num);
    workers_.each(num, kLabelGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      const Forest forest = forest_;
      std::uint8_t* const is = is_member.data();
      for (std::uint64_t v = first; v < last; ++v) is[v] = forest.load(static_cast<VertexId>(v)) == root;
    });
    return is_member;
  }
  // Joins the ends of the edges that lead out of the largest tree. Most edges do not, which a byte per vertex tells:
  // more of these are in a core's cache than of parents. The rows of others are found when they are needed.
  void join_targets_outside(const std::uint8_t* is_in_largest, std::atomic<bool>& joined) const {
    workers_.each(csr_.num_edges(), kEdgeGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      const Forest forest = forest_;
      const VertexId* const targets = targets_;
      bool any = false;
      for (std::uint64_t block = first; block < last; block += kEdgeBlock) {
        const std::uint64_t end = std::min(block + kEdgeBlock, last);
        std::uint8_t all = 1;
        for (std::uint64_t e = block; e < end; ++e) all &= is_in_largest[targets[e]];
        if (all != 0) continue;
        const Offset* row = std::upper_bound(offsets_, offsets_ + csr_.num_rows, static_cast<Offset>(block));
        for (std::uint64_t e = block; e < end; ++e) {
          if (is_in_largest[targets[e]] != 0) continue;
          while (*row <= e) ++row;
          any |= forest.join(static_cast<VertexId>(row - offsets_ - 1), targets[e]);
        }
      }
      if (any) joined.store(true, std::memory_order_relaxed);
    });
  }
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
  static constexpr EdgeCount kLookedAt = 8;
  static constexpr std::uint64_t kRowsAhead = 16;
  static constexpr std::uint64_t kSampledVertices = 1024;
  static constexpr double kLargeShare = 0.25;

  // Every vertex right under its root; `usual` is the parent of many.
  void flatten(VertexId usual) const {
    const VertexId usual_root = forest_.find(usual);
    each_chunk([&](std::uint64_t first, std::uint64_t last) {
      const Forest forest = forest_;
      for (std::uint64_t v = first; v < last; ++v) {
        const VertexId parent = forest.load(static_cast<VertexId>(v));
        if (either_is_zero(parent ^ usual_root, parent ^ static_cast<VertexId>(v))) continue;
        forest.store(static_cast<VertexId>(v), parent == usual ? usual_root : forest.find(static_cast<VertexId>(v)));
      }
    });
  }
  struct Largest {
    VertexId parent;
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
  void each_chunk(const Body& body) const {
    workers_.each(csr_.num_rows, kLabelGrain, [&](std::uint64_t first, std::uint64_t last, int) { body(first, last); });
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
