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

// Edges that lengthen a path lead to all but vertices at the distance of the one before; those are found after them,
// one such edge at a time.
template <class Weight, class Distance>
std::vector<VertexId> smallest_predecessors(const Csr& csr, const void* weights, const Array<Distance>& distances,
                                            VertexId root, Workers& workers) {
  constexpr bool kHops = std::is_same_v<Weight, engine::Unweighted>;
  const Distance* const distance = distances.data();
  std::vector<VertexId> before(csr.num_rows, kNoVertex);
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
    detail::each_row(csr.offsets, workers, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; ++i) {
        const auto u = static_cast<VertexId>(i);
        if (!is_reached(distance[u])) continue;
        for (const auto edge : rows[u]) {
          const VertexId v = edge.neighbor();
          if (leads_to(u, edge) && distance[u] < distance[v]) lower(before.data() + v, u);
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
  return before;
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
  std::vector<VertexId> before;
  if (graph.stored()) {
    before = stored_predecessors(*graph.stored(), distances, root, workers);
  } else if constexpr (std::is_same_v<Distance, std::int32_t>) {
    before = smallest_predecessors<engine::Unweighted>(*graph.csr(), nullptr, distances, root, workers);
  } else {
    const Array<std::uint8_t> weights = graph.is_weighted()
                                            ? graph.weights_as(View::kForward, engine::scalar_of<Distance>(), workers)
                                            : Array<std::uint8_t>();
    before = smallest_predecessors<Distance>(*graph.csr(), weights.data(), distances, root, workers);
  }
  const Writable<std::int64_t> out(before.size());
  std::transform(before.begin(), before.end(), out.data(),
                 [](VertexId v) { return v == kNoVertex ? std::int64_t(-1) : std::int64_t(v); });
  return out.freeze();
}

template Array<std::int64_t> predecessors(const Graph&, const Array<std::int32_t>&, VertexId, Workers&);
template Array<std::int64_t> predecessors(const Graph&, const Array<std::int64_t>&, VertexId, Workers&);
template Array<std::int64_t> predecessors(const Graph&, const Array<float>&, VertexId, Workers&);
template Array<std::int64_t> predecessors(const Graph&, const Array<double>&, VertexId, Workers&);

}  // namespace gaspipe
