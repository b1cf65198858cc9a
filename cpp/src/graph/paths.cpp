// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/paths.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "each_row.h"
#include "gaspipe/engine/program_table.h"
#include "gaspipe/rows.h"

namespace gaspipe {
namespace {

template <class Distance>
bool is_reached(Distance distance) {
  if constexpr (std::is_integral_v<Distance>) {
    return distance >= 0;
  } else {
    return std::isfinite(distance);
  }
}

void lower(VertexId* at, VertexId v) {
  VertexId found = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (v < found && !__atomic_compare_exchange_n(at, &found, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
}

constexpr std::uint64_t kVertexGrain = 1 << 13;
constexpr EdgeCount kListedEdges = 256;

// Edges that lengthen a path lead to all but vertices at the distance of the one before; those are found after them,
// one such edge at a time.
template <class Weight, class Distance>
Array<VertexId> smallest_predecessors(const Csr& csr, const void* weights, const Array<Distance>& distances,
                                      VertexId root, Workers& workers) {
  constexpr bool kHops = std::is_same_v<Weight, engine::Unweighted>;
  const Distance* const distance = distances.data();
  const Writable<VertexId> before(csr.num_rows);
  workers.each(csr.num_rows, kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    std::fill(before.data() + first, before.data() + last, kNoVertex);
  });
  before[root] = root;
  engine::with_rows<Weight>(table_of(csr, weights), [&](const auto& rows) {
    const auto leads_to = [&](VertexId u, const auto& edge) {
      const Distance found = distance[edge.neighbor()];
      if constexpr (kHops) {
        return found == distance[u] + 1;
      } else if constexpr (std::is_integral_v<Distance>) {
        Distance sum;
        return !__builtin_add_overflow(distance[u], edge.weight(), &sum) && found == sum;
      } else {
        return found == distance[u] + edge.weight() && is_reached(found);
      }
    };
    const auto leads_on = [&](VertexId u, const auto& edge) {
      return static_cast<bool>(leads_to(u, edge) & (distance[u] < distance[edge.neighbor()]));
    };
    const bool is_uneven = engine::has_uneven_rows(rows);
    detail::each_row(csr.offsets, workers, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        const auto u = static_cast<VertexId>(i);
        if (!is_reached(distance[u])) continue;
        if (!is_uneven) {
          for (const auto edge : rows[u]) {
            if (leads_on(u, edge)) lower(before.data() + edge.neighbor(), u);
          }
          continue;
        }
        // Listed without a branch: which edges lead on is unpredictable.
        for (EdgeCount e = rows.begin(u); e < rows.end(u);) {
          const EdgeCount end = std::min(rows.end(u), e + kListedEdges);
          VertexId led_to[kListedEdges];
          std::uint32_t count = 0;
          for (; e < end; ++e) {
            const auto edge = rows.edge(e);
            led_to[count] = edge.neighbor();
            count += leads_on(u, edge);
          }
          for (std::uint32_t k = 0; k < count; ++k) lower(before.data() + led_to[k], u);
        }
      }
    });
    if constexpr (kHops) return;
    std::vector<VertexId> level, next;
    for (VertexId v = 0; v < csr.num_rows; ++v) {
      if (before[v] != kNoVertex) level.push_back(v);
    }
    while (!level.empty()) {
      workers.check();
      next.clear();
      for (const VertexId u : level) {
        for (const auto edge : rows[u]) {
          const VertexId v = edge.neighbor();
          if (before[v] == kNoVertex && leads_to(u, edge)) {
            before[v] = u;
            next.push_back(v);
          }
        }
      }
      std::sort(next.begin(), next.end());  // the smallest comes first
      level.swap(next);
    }
  });
  return before.freeze();
}

// The same by hops, of a symmetric graph: each vertex looks for the first of its neighbors that is a hop nearer.
Array<VertexId> nearer_neighbors(const Csr& csr, const Array<std::int32_t>& hops, VertexId root, Workers& workers) {
  const VertexId* const targets = csr.targets.data();
  const Writable<VertexId> before(csr.num_rows);
  detail::each_row(csr.offsets, workers, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t v = first; v < last; ++v) {
      const VertexId* const row = targets + csr.offsets[v];
      const VertexId* const end = targets + csr.offsets[v + 1];
      const std::int32_t nearer = hops[v] - 1;
      const auto is_nearer = [&](VertexId u) { return hops[u] == nearer; };
      before[v] = kNoVertex;
      if (nearer < 0) continue;
      if (std::is_sorted(row, end)) {
        const VertexId* const found = std::find_if(row, end, is_nearer);
        if (found != end) before[v] = *found;
      } else {
        for (const VertexId* u = row; u < end; ++u) before[v] = is_nearer(*u) ? std::min(before[v], *u) : before[v];
      }
    }
  });
  before[root] = root;
  return before.freeze();
}

// Whether an edge from `distance` of weight `weight` ends a shortest path at `found`; floats are added as runs do.
template <class Distance>
bool is_sum(Distance found, Distance distance, Distance weight) {
  if constexpr (std::is_integral_v<Distance>) {
    Distance sum;
    return !__builtin_add_overflow(distance, weight, &sum) && found == sum;
  } else {
    return found == distance + weight && is_reached(found);
  }
}

// The same for edges that stay in a file, read once, and once more for every edge in a row that lengthens no path.
template <class Stored, class Distance>
std::vector<VertexId> smallest_predecessors(const StoredEdges& stored, const Array<Distance>& distances, VertexId root,
                                            Workers& workers) {
  std::vector<VertexId> before(distances.size(), kNoVertex), found(distances.size(), kNoVertex);
  before[root] = found[root] = root;
  constexpr bool has_weights = !std::is_same_v<Stored, std::monostate>;
  const auto pass = [&](const auto& may_precede) {
    stored.scan(
        stored.view(View::kForward, has_weights, true), [&] { return workers.poll(0); },
        [&](const BlockEntry& block, const BlockPiece& piece) {
          std::uint32_t e = 0;
          for (std::uint32_t run = 0; run < piece.num_runs; ++run) {
            const VertexId u = piece.run_sources[run];
            const std::uint32_t end = e + piece.run_lengths[run];
            if (!is_reached(distances[u])) {
              e = end;
              continue;
            }
            for (; e < end; ++e) {
              const VertexId v = block.partition * kBlockCapacity + piece.destinations[e];
              Distance weight = 1;
              if constexpr (has_weights)
                weight = static_cast<Distance>(reinterpret_cast<const Stored*>(piece.weights)[e]);
              if (u < found[v] && before[v] == kNoVertex && may_precede(u, v) &&
                  is_sum(distances[v], distances[u], weight)) {
                found[v] = u;
              }
            }
          }
        });
  };
  pass([&](VertexId u, VertexId v) { return distances[u] < distances[v]; });
  for (bool changed = true; changed;) {
    changed = false;
    std::size_t num_left = 0;
    for (std::size_t v = 0; v < before.size(); ++v) {
      changed |= found[v] != before[v];
      before[v] = found[v];
      num_left += before[v] == kNoVertex && is_reached(distances[v]);
    }
    if (num_left == 0) break;
    if (changed) pass([&](VertexId u, VertexId) { return before[u] != kNoVertex; });
  }
  return before;
}

template <class Distance>
std::vector<VertexId> stored_predecessors(const StoredEdges& stored, const Array<Distance>& distances, VertexId root,
                                          Workers& workers) {
  if constexpr (!std::is_same_v<Distance, std::int32_t>) {
    switch (stored.weight_type()) {
      case abi::kInt32:
        return smallest_predecessors<std::int32_t>(stored, distances, root, workers);
      case abi::kInt64:
        return smallest_predecessors<std::int64_t>(stored, distances, root, workers);
      case abi::kFloat32:
        return smallest_predecessors<float>(stored, distances, root, workers);
      case abi::kFloat64:
        return smallest_predecessors<double>(stored, distances, root, workers);
      default:
        break;
    }
  }
  return smallest_predecessors<std::monostate>(stored, distances, root, workers);
}

}  // namespace

template <class Distance>
Array<std::int64_t> predecessors(const Graph& graph, const Array<Distance>& distances, VertexId root,
                                 Workers& workers) {
  const auto with_none = [&](const auto& before) {
    const Writable<std::int64_t> out(before.size());
    workers.each(before.size(), kVertexGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      std::transform(before.begin() + first, before.begin() + last, out.data() + first,
                     [](VertexId v) { return v == kNoVertex ? std::int64_t(-1) : std::int64_t(v); });
    });
    return out.freeze();
  };
  if (graph.stored()) return with_none(stored_predecessors(*graph.stored(), distances, root, workers));
  if constexpr (std::is_same_v<Distance, std::int32_t>) {
    if (graph.is_known_symmetric(workers)) {
      return with_none(nearer_neighbors(*graph.csr(), distances, root, workers));
    }
    return with_none(smallest_predecessors<engine::Unweighted>(*graph.csr(), nullptr, distances, root, workers));
  } else {
    const Array<std::uint8_t> weights = graph.is_weighted()
                                            ? graph.weights_as(View::kForward, engine::scalar_of<Distance>(), workers)
                                            : Array<std::uint8_t>();
    return with_none(smallest_predecessors<Distance>(*graph.csr(), weights.data(), distances, root, workers));
  }
}

template Array<std::int64_t> predecessors(const Graph&, const Array<std::int32_t>&, VertexId, Workers&);
template Array<std::int64_t> predecessors(const Graph&, const Array<std::int64_t>&, VertexId, Workers&);
template Array<std::int64_t> predecessors(const Graph&, const Array<float>&, VertexId, Workers&);
template Array<std::int64_t> predecessors(const Graph&, const Array<double>&, VertexId, Workers&);

}  // namespace gaspipe
