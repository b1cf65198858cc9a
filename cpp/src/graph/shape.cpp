// SPDX-License-Identifier: Apache-2.0
// Components by union-find without locks: a root is hooked onto a smaller one by compare-and-swap, so that the root of
// a component ends as its smallest vertex whichever thread was first (S. Jayanti and R. Tarjan, PODC 2016,
// doi:10.1145/2933057.2933108); most edges are only looked at (Afforest: M. Sutton, T. Ben-Nun, A. Barak, IPDPS 2018,
// doi:10.1109/IPDPS.2018.00012). Orders by the counting sort of build_csr, with a vertex's class as its row.
#include "gaspipe/shape.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <type_traits>
#include <vector>

#include "gaspipe/find_first.h"
#include "weights.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kGrain = 1 << 16;

using detail::ElementOf;
using detail::is_weighted_v;

// body(first, last) for ranges of rows of about equal work, a row counting as its degree + 1: hubs may come together.
template <class Body>
void each_row(const Offsets& offsets, Workers& workers, const Body& body) {
  const std::uint64_t num_rows = offsets.size() - 1;
  const auto row_at = [&](std::uint64_t work) {  // the first row that starts at or after it
    std::uint64_t low = 0, high = num_rows;
    while (low < high) {
      const std::uint64_t middle = (low + high) / 2;
      if (offsets[middle] + middle < work) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  workers.each(offsets[num_rows] + num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    const std::uint64_t first_row = row_at(first), last_row = row_at(last);
    if (first_row < last_row) body(first_row, last_row);
  });
}

template <class Offset>
Offsets offsets_in_order(const Array<VertexId>& order, const Writable<EdgeCount>& degrees, Workers& workers) {
  const Writable<Offset> offsets(order.size() + 1);
  EdgeCount sum = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % kGrain == 0) workers.check();
    offsets[i] = static_cast<Offset>(sum);
    sum += degrees[order[i]];
  }
  offsets[order.size()] = static_cast<Offset>(sum);
  return Offsets(offsets.freeze());
}

// Row i of the result is row order[i]; its edges lead to rename(row, target), those to kNoVertex are dropped.
template <class Rename>
Csr pick_edges(const Csr& csr, const Array<VertexId>& order, bool sorted, Workers& workers, const Rename& rename) {
  const Writable<EdgeCount> degrees(csr.num_rows);
  each_row(csr.offsets, workers, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t v = first; v < last; ++v) {
      degrees[v] = 0;
      for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e)
        degrees[v] += rename(v, csr.targets[e]) != kNoVertex;
    }
  });
  Csr result;
  result.num_rows = result.num_columns = static_cast<VertexId>(order.size());
  result.offsets = csr.num_edges() <= std::numeric_limits<std::uint32_t>::max()
                       ? offsets_in_order<std::uint32_t>(order, degrees, workers)
                       : offsets_in_order<std::uint64_t>(order, degrees, workers);
  const Offsets& offsets = result.offsets;
  const Writable<VertexId> targets(offsets[order.size()]);
  std::visit(
      [&](const auto& weight) {
        using Weight = std::decay_t<decltype(weight)>;
        constexpr bool weighted = is_weighted_v<Weight>;
        using Value = typename ElementOf<Weight>::Type;
        const Writable<Value> weights(weighted ? targets.size() : 0);
        each_row(offsets, workers, [&](std::uint64_t first, std::uint64_t last) {
          std::vector<std::pair<VertexId, Value>> row;
          for (std::uint64_t i = first; i < last; ++i) {
            const VertexId v = order[i];
            EdgeCount to = offsets[i];
            for (EdgeCount e = csr.offsets[v]; e < csr.offsets[std::uint64_t(v) + 1]; ++e) {
              const VertexId target = rename(v, csr.targets[e]);
              if (target == kNoVertex) continue;
              targets[to] = target;
              if constexpr (weighted) weights[to] = weight[e];
              ++to;
            }
            VertexId* const begin = targets.data() + offsets[i];
            VertexId* const end = targets.data() + to;
            if (!sorted || std::is_sorted(begin, end)) continue;
            if constexpr (weighted) {
              row.clear();
              for (EdgeCount e = offsets[i]; e < to; ++e) row.emplace_back(targets[e], weights[e]);
              std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
              for (std::size_t j = 0; j < row.size(); ++j) {
                targets[offsets[i] + j] = row[j].first;
                weights[offsets[i] + j] = row[j].second;
              }
            } else {
              std::sort(begin, end);
            }
          }
        });
        if constexpr (weighted) result.weights = weights.freeze();
      },
      csr.weights);
  result.targets = targets.freeze();
  return result;
}

// Row k of the result: the vertices v with key(v) == k, ascending.
template <class Key>
Csr by_key(VertexId num_vertices, std::uint64_t num_keys, Workers& workers, const Key& key) {
  const Writable<VertexId> keys(num_vertices), vertices(num_vertices);
  workers.each(num_vertices, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) {
      keys[v] = static_cast<VertexId>(key(static_cast<VertexId>(v)));
      vertices[v] = static_cast<VertexId>(v);
    }
  });
  return build_csr({num_keys, keys.freeze(), vertices.freeze(), {}}, num_vertices, workers);
}

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
      // A plain store: whoever is not a root never becomes one, and any vertex above it is a good parent.
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
  Components(const Csr& csr, const Offset* offsets, VertexId* parents, Workers& workers)
      : csr_(csr), offsets_(offsets), targets_(csr.targets.data()), forest_(parents), workers_(workers) {
    each([parents](VertexId v) { parents[v] = v; });
  }

  // Joins the ends of all edges, and leaves every vertex right under its root. A few edges of each vertex join most of
  // the largest component; what remains mostly leads from there to there, which one look at the parents tells. In a
  // symmetric graph the other end sees to the edges that lead out of it.
  void join_edges(bool is_symmetric) const {
    EdgeCount num_joined = 0;  // edges of every vertex
    if (leads_nearby()) hang_below_first();
    if (likely_largest().share < kLargeShare) {
      join_first();
      num_joined = kSampledEdges;
    }
    flatten();
    const VertexId largest = likely_largest().root;
    std::atomic<bool> joined{false};
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
  // vertices were numbered along the edges. Nobody else writes there yet, so that it costs no atomic exchange.
  void hang_below_first() const {
    each_row(csr_.offsets, workers_, [&](std::uint64_t first, std::uint64_t last) {
      const Forest forest = forest_;
      const Offset* const offsets = offsets_;
      const VertexId* const targets = targets_;
      const std::uint64_t n = csr_.num_rows;
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
    workers_.each(csr_.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      const Body own = body;
      for (std::uint64_t v = first; v < last; ++v) own(static_cast<VertexId>(v));
    });
  }

  const Csr& csr_;
  const Offset* offsets_;
  const VertexId* targets_;
  Forest forest_;
  Workers& workers_;
};

// Where each vertex is in `order`, kNoVertex if it is not.
Array<VertexId> places_of(const Array<VertexId>& order, VertexId num_vertices, Workers& workers) {
  const std::uint64_t far =
      find_first(order.size(), workers, [&](std::uint64_t i) { return order[i] >= num_vertices; });
  if (far < order.size()) {
    throw InputError(
        message("order[", far, "] is ", order[far], "; ", num_vertices, " vertices allow 0 to ", num_vertices - 1));
  }
  // A repeated vertex keeps its first place, so that the error is the same whichever thread was first.
  const Writable<std::atomic<VertexId>> places(num_vertices);
  workers.each(num_vertices, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) places[v].store(kNoVertex, std::memory_order_relaxed);
  });
  workers.each(order.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      VertexId place = places[order[i]];
      while (i < place && !places[order[i]].compare_exchange_weak(place, static_cast<VertexId>(i))) {
      }
    }
  });
  const std::uint64_t again = find_first(order.size(), workers, [&](std::uint64_t i) { return places[order[i]] != i; });
  if (again < order.size()) {
    throw InputError(message("order[", again, "] is ", order[again], ", as order[", places[order[again]].load(),
                             "] is; every vertex may be there once"));
  }
  const Writable<VertexId> plain(num_vertices);
  workers.each(num_vertices, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) plain[v] = places[v].load(std::memory_order_relaxed);
  });
  return plain.freeze();
}

template <class Id>
Array<VertexId> narrow_order(const Array<Id>& ids, VertexId num_vertices, Workers& workers) {
  if (ids.size() != num_vertices) {
    throw InputError(
        message("order has ", ids.size(), " entries; a permutation of ", num_vertices, " vertices has ", num_vertices));
  }
  const std::uint64_t far = find_first(
      ids.size(), workers, [&](std::uint64_t i) { return static_cast<std::uint64_t>(ids[i]) >= num_vertices; });
  if (far < ids.size()) {
    throw InputError(
        message("order[", far, "] is ", ids[far], "; ", num_vertices, " vertices allow 0 to ", num_vertices - 1));
  }
  const Writable<VertexId> order(ids.size());
  workers.each(ids.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) order[i] = static_cast<VertexId>(ids[i]);
  });
  return order.freeze();
}

}  // namespace

Csr drop_self_loops(const Csr& csr, Workers& workers) {
  const Writable<VertexId> order(csr.num_rows);
  workers.each(csr.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) order[v] = static_cast<VertexId>(v);
  });
  return pick_edges(csr, order.freeze(), /*sorted=*/false, workers,
                    [](std::uint64_t v, VertexId target) { return target == v ? kNoVertex : target; });
}

void components(const Csr& csr, bool is_symmetric, VertexId* smallest, Workers& workers) {
  const auto join_edges = [&](const auto* offsets) {
    Components(csr, offsets, smallest, workers).join_edges(is_symmetric);
  };
  csr.offsets.is_wide() ? join_edges(csr.offsets.wide().data()) : join_edges(csr.offsets.narrow().data());
}

Array<VertexId> components(const Csr& csr, Workers& workers) {
  const Writable<VertexId> smallest(csr.num_rows);
  components(csr, /*is_symmetric=*/false, smallest.data(), workers);
  return smallest.freeze();
}

Array<VertexId> largest_component(const Csr& csr, Workers& workers) {
  const Array<VertexId> roots = components(csr, workers);
  const Writable<std::atomic<VertexId>> sizes(csr.num_rows);
  workers.each(csr.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) sizes[v].store(0, std::memory_order_relaxed);
  });
  workers.each(csr.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    // Neighbours are mostly of one component: one addition for all of a run.
    VertexId root = roots[first], run = 0;
    for (std::uint64_t v = first; v < last; ++v) {
      const VertexId next = roots[v];
      if (next != root) {
        sizes[root].fetch_add(run, std::memory_order_relaxed);
        root = next;
        run = 0;
      }
      ++run;
    }
    sizes[root].fetch_add(run, std::memory_order_relaxed);
  });
  VertexId largest = 0;
  for (VertexId v = 1; v < csr.num_rows; ++v) {
    if (v % kGrain == 0) workers.check();
    if (sizes[v].load(std::memory_order_relaxed) > sizes[largest].load(std::memory_order_relaxed)) largest = v;
  }
  const Csr split = by_key(csr.num_rows, 2, workers, [&](VertexId v) { return roots[v] != largest; });
  return Array<VertexId>(split.targets.owner(), split.targets.data(), split.offsets[1]);
}

Array<VertexId> degree_order(const Csr& csr, Workers& workers) {
  std::atomic<EdgeCount> found{0};
  workers.each(csr.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    EdgeCount most = 0;
    for (std::uint64_t v = first; v < last; ++v) most = std::max(most, csr.degree(static_cast<VertexId>(v)));
    EdgeCount before = found;
    while (most > before && !found.compare_exchange_weak(before, most)) {
    }
  });
  const EdgeCount most = found;
  if (most >= kMostVertices) {
    throw CapacityError(
        message("a vertex of ", most, " edges cannot be put in order; at most ", kMostVertices - 1, " are possible"));
  }
  return by_key(csr.num_rows, most + 1, workers, [&](VertexId v) { return most - csr.degree(v); }).targets;
}

Array<VertexId> hub_order(const Csr& csr, Workers& workers) {
  const std::uint64_t n = csr.num_rows, m = csr.num_edges();
  const auto at_least = [](std::uint64_t edges, std::uint64_t vertices) {
    return edges / vertices + (edges % vertices != 0);
  };
  const std::array<EdgeCount, 7> bounds = {at_least(32 * m, n), at_least(16 * m, n), at_least(8 * m, n),
                                           at_least(4 * m, n),  at_least(2 * m, n),  at_least(m, n),
                                           at_least(m, 2 * n)};
  return by_key(csr.num_rows, bounds.size() + 1, workers,
                [&](VertexId v) {
                  return std::find_if(bounds.begin(), bounds.end(), [&](EdgeCount b) { return csr.degree(v) >= b; }) -
                         bounds.begin();
                })
      .targets;
}

Csr select_vertices(const Csr& csr, const Array<VertexId>& order, Workers& workers) {
  const Array<VertexId> places = places_of(order, csr.num_rows, workers);
  return pick_edges(csr, order, /*sorted=*/true, workers,
                    [&](std::uint64_t, VertexId target) { return places[target]; });
}

Array<VertexId> vertex_order(const Array<std::int64_t>& ids, VertexId num_vertices, Workers& workers) {
  return narrow_order(ids, num_vertices, workers);
}

Array<VertexId> vertex_order(const Array<std::uint64_t>& ids, VertexId num_vertices, Workers& workers) {
  return narrow_order(ids, num_vertices, workers);
}

DegreeHistogram degree_histogram(const Csr& csr, bool incoming, Workers& workers) {
  const Writable<std::atomic<EdgeCount>> arriving(incoming ? csr.num_columns : 0);
  workers.each(arriving.size(), kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) arriving[v].store(0, std::memory_order_relaxed);
  });
  workers.each(incoming ? csr.num_edges() : 0, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t e = first; e < last; ++e) arriving[csr.targets[e]].fetch_add(1, std::memory_order_relaxed);
  });
  constexpr std::size_t kBuckets = 65;
  std::array<std::int64_t, kBuckets> total{};
  std::mutex guard;
  workers.each(incoming ? csr.num_columns : csr.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    std::array<std::int64_t, kBuckets> count{};
    for (std::uint64_t v = first; v < last; ++v) {
      EdgeCount degree = incoming ? arriving[v].load(std::memory_order_relaxed) : csr.degree(static_cast<VertexId>(v));
      std::size_t bucket = 0;  // bits of the degree
      for (; degree > 0; degree >>= 1) ++bucket;
      ++count[bucket];
    }
    const std::lock_guard<std::mutex> lock(guard);
    for (std::size_t b = 0; b < kBuckets; ++b) total[b] += count[b];
  });
  std::size_t size = kBuckets;
  while (size > 0 && total[size - 1] == 0) --size;
  const Writable<std::int64_t> lower_bounds(size), counts(size);
  for (std::size_t b = 0; b < size; ++b) {
    lower_bounds[b] = b == 0 ? 0 : std::int64_t(1) << (b - 1);
    counts[b] = total[b];
  }
  return {lower_bounds.freeze(), counts.freeze()};
}

}  // namespace gaspipe
