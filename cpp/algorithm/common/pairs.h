// SPDX-License-Identifier: Apache-2.0
// What two vertices of an undirected graph have in common, for pairs that a caller gives or for all edges.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gaspipe/cpu_algorithm.h"
#include "gaspipe/rows.h"

namespace gaspipe {
namespace algorithm {

// The parameters of algorithms that answer by pair.
struct PairParameters {
  VertexPairsView pairs;

  template <class Visit>
  void each(Visit&& visit) {
    visit("pairs", pairs, Allowed::any(), "The pairs; without, the graph's edges in the order of `graph.indices`.");
  }
};

// Elements that both of two ascending ranges have, without u and v. Takes as long as the shorter range, times the
// logarithm of the longer one or plus the longer one, whichever is less.
inline std::int64_t num_common(const VertexId* a, const VertexId* a_end, const VertexId* b, const VertexId* b_end,
                               VertexId u, VertexId v) {
  constexpr std::ptrdiff_t kSkewed = 32;  // measured: from there on searching is faster than merging
  if (a_end - a > b_end - b) {
    std::swap(a, b);
    std::swap(a_end, b_end);
  }
  std::int64_t found = 0;
  if ((b_end - b) / kSkewed > a_end - a) {
    for (; a < a_end; ++a) {
      b = std::lower_bound(b, b_end, *a);
      if (b == b_end) break;
      found += *b == *a && *a != u && *a != v;
    }
    return found;
  }
  while (a < a_end && b < b_end) {
    const VertexId of_a = *a, of_b = *b;
    found += of_a == of_b && of_a != u && of_a != v;
    a += of_a <= of_b;
    b += of_b <= of_a;
  }
  return found;
}

// value(num_common, num_in_either) of every pair of vertices: of how many neighbors they share, and how many vertices
// are a neighbor of one of them or both. Where no pairs are given, of every stored edge. No vertex is its own neighbor.
template <class T, class Value>
Array<T> of_pairs(CpuRun& run, const VertexPairsView& pairs, const Value& value) {
  constexpr std::uint64_t kGrain = 256;
  const std::shared_ptr<const Csr> csr = run.view(View::kUndirected);
  const VertexId* const targets = csr->targets.data();
  return engine::with_rows(table_of(*csr), [&](const auto& rows) {
    const auto of_pair = [&](VertexId u, VertexId v) {
      const VertexId *const of_u = targets + rows.begin(u), *const end_of_u = targets + rows.end(u);
      const VertexId *const of_v = targets + rows.begin(v), *const end_of_v = targets + rows.end(v);
      const auto size = [](const VertexId* first, const VertexId* last, VertexId self) {
        return last - first - std::binary_search(first, last, self);
      };
      const std::int64_t sizes = size(of_u, end_of_u, u) + size(of_v, end_of_v, v);
      // A vertex shares all its neighbors with itself.
      const std::int64_t common = u == v ? sizes / 2 : num_common(of_u, end_of_u, of_v, end_of_v, u, v);
      return value(common, sizes - common);
    };
    if (pairs.data != nullptr) {
      const Writable<T> found(pairs.size);
      run.workers.phase("pairs", Workers::kNextLoop);
      run.workers.each(pairs.size, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
        for (std::uint64_t i = first; i < last; ++i) found[i] = of_pair(pairs.data[2 * i], pairs.data[2 * i + 1]);
      });
      return found.freeze();
    }
    const Csr& edges = *run.graph.csr();
    const Writable<T> found(edges.num_edges());
    run.workers.phase("vertices", Workers::kNextLoop);
    run.workers.each(edges.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t u = first; u < last; ++u) {
        for (EdgeCount e = edges.offsets[u]; e < edges.offsets[u + 1]; ++e) {
          found[e] = of_pair(static_cast<VertexId>(u), edges.targets[e]);
        }
      }
    });
    return found.freeze();
  });
}

// The pairs that of_pairs answers for.
inline Table<VertexId> listed(CpuRun& run, const VertexPairsView& pairs) {
  constexpr std::uint64_t kGrain = 1 << 12;
  const Csr& edges = *run.graph.csr();
  const Writable<VertexId> list(2 * (pairs.data != nullptr ? pairs.size : edges.num_edges()));
  if (pairs.data != nullptr) {
    std::copy_n(pairs.data, list.size(), list.data());
  } else {
    run.workers.each(edges.num_rows, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t u = first; u < last; ++u) {
        for (EdgeCount e = edges.offsets[u]; e < edges.offsets[u + 1]; ++e) {
          list[2 * e] = static_cast<VertexId>(u);
          list[2 * e + 1] = edges.targets[e];
        }
      }
    });
  }
  return {"num_pairs, 2", true, list.freeze(), 2};
}

}  // namespace algorithm
}  // namespace gaspipe
