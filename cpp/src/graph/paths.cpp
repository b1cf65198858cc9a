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

}  // namespace

template <class Distance>
Array<std::int64_t> predecessors(const Graph& graph, const Array<Distance>& distances, VertexId root,
                                 Workers& workers) {
  const Csr& csr = *graph.csr();
  std::vector<VertexId> before;
  if constexpr (std::is_same_v<Distance, std::int32_t>) {
    before = smallest_predecessors<engine::Unweighted>(csr, nullptr, distances, root, workers);
  } else {
    const Array<std::uint8_t> weights = graph.is_weighted()
                                            ? graph.weights_as(View::kForward, engine::scalar_of<Distance>(), workers)
                                            : Array<std::uint8_t>();
    before = smallest_predecessors<Distance>(csr, weights.data(), distances, root, workers);
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
