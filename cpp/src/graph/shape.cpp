// SPDX-License-Identifier: Apache-2.0
// Orders by the counting sort of build_csr, with a vertex's class as its row.
#include "gaspipe/shape.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <type_traits>
#include <vector>

#include "each_row.h"
#include "gaspipe/find_first.h"
#include "weights.h"

namespace gaspipe {
namespace {

constexpr std::uint64_t kShapeGrain = 1 << 16;

using detail::each_row;
using detail::ElementOf;
using detail::is_weighted_v;

template <class Offset>
Offsets offsets_in_order(const Array<VertexId>& order, const Writable<EdgeCount>& degrees, Workers& workers) {
  const Writable<Offset> offsets(order.size() + 1);
  EdgeCount sum = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % kShapeGrain == 0) workers.check();
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
  workers.step("choosing", csr.num_edges());
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
        workers.step("copying", targets.size());
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
  workers.each(num_vertices, kShapeGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) {
      keys[v] = static_cast<VertexId>(key(static_cast<VertexId>(v)));
      vertices[v] = static_cast<VertexId>(v);
    }
  });
  return build_csr({num_keys, keys.freeze(), vertices.freeze(), {}}, num_vertices, workers);
}

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
  workers.each(num_vertices, kShapeGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) places[v].store(kNoVertex, std::memory_order_relaxed);
  });
  workers.each(order.size(), kShapeGrain, [&](std::uint64_t first, std::uint64_t last, int) {
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
  workers.each(num_vertices, kShapeGrain, [&](std::uint64_t first, std::uint64_t last, int) {
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
  workers.each(ids.size(), kShapeGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) order[i] = static_cast<VertexId>(ids[i]);
  });
  return order.freeze();
}

}  // namespace

Csr drop_self_loops(const Csr& csr, Workers& workers) {
  const Writable<VertexId> order(csr.num_rows);
  workers.each(csr.num_rows, kShapeGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) order[v] = static_cast<VertexId>(v);
  });
  return pick_edges(csr, order.freeze(), /*sorted=*/false, workers,
                    [](std::uint64_t v, VertexId target) { return target == v ? kNoVertex : target; });
}

Array<VertexId> largest_component(const Csr& csr, Workers& workers) {
  const Array<VertexId> roots = components(csr, workers);
  const Writable<std::atomic<VertexId>> sizes(csr.num_rows);
  workers.each(csr.num_rows, kShapeGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) sizes[v].store(0, std::memory_order_relaxed);
  });
  workers.each(csr.num_rows, kShapeGrain, [&](std::uint64_t first, std::uint64_t last, int) {
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
    if (v % kShapeGrain == 0) workers.check();
    if (sizes[v].load(std::memory_order_relaxed) > sizes[largest].load(std::memory_order_relaxed)) largest = v;
  }
  const Csr split = by_key(csr.num_rows, 2, workers, [&](VertexId v) { return roots[v] != largest; });
  return Array<VertexId>(split.targets.owner(), split.targets.data(), split.offsets[1]);
}

Array<VertexId> degree_order(const Csr& csr, Workers& workers) {
  std::atomic<EdgeCount> found{0};
  workers.each(csr.num_rows, kShapeGrain, [&](std::uint64_t first, std::uint64_t last, int) {
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
  workers.each(arriving.size(), kShapeGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) arriving[v].store(0, std::memory_order_relaxed);
  });
  if (incoming) workers.step("edges", csr.num_edges());
  workers.each(incoming ? csr.num_edges() : 0, kShapeGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t e = first; e < last; ++e) arriving[csr.targets[e]].fetch_add(1, std::memory_order_relaxed);
  });
  constexpr std::size_t kBuckets = 65;
  std::array<std::int64_t, kBuckets> total{};
  std::mutex guard;
  workers.step("vertices", incoming ? csr.num_columns : csr.num_rows);
  workers.each(incoming ? csr.num_columns : csr.num_rows, kShapeGrain,
               [&](std::uint64_t first, std::uint64_t last, int) {
                 std::array<std::int64_t, kBuckets> count{};
                 for (std::uint64_t v = first; v < last; ++v) {
                   EdgeCount degree =
                       incoming ? arriving[v].load(std::memory_order_relaxed) : csr.degree(static_cast<VertexId>(v));
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
