// SPDX-License-Identifier: Apache-2.0
// A graph relabeled by degree class: vertices with many edges come first, in classes that halve the degree, and inside
// a class they keep their order; vertices without edges come last. What most edges lead to then lies together, in the
// caches, and at the beginning of every row. Runs walk it and answer in the ids of the graph it was made of.
// Method: P. Faldu, J. Diamond, B. Grot, "A Closer Look at Lightweight Graph Reordering", IISWC 2019,
// doi:10.1109/IISWC47752.2019.9041948 (degree-based grouping).
#pragma once

#include <cstdint>
#include <memory>

#include "gaspipe/graph.h"

namespace gaspipe {

struct PreparedGraph {
  Graph graph;
  Array<VertexId> ids;  // its vertex v is ids[v] of the graph it was made of
  // Of its rows, kNoVertex of an empty one: mostly a hub, which is all that many vertices are asked for.
  Array<VertexId> first_targets;
  double seconds = 0;         // that making it took; 0 for one from a file
  bool is_asked_for = false;  // by a caller; else made because the graph is asked often

  // Of the rows, the weights and the ids.
  std::uint64_t num_bytes() const;
  // Values of `graph`'s vertices, by the ids of the original.
  template <class T>
  Array<T> by_id(const Array<T>& values, Workers& workers) const {
    const Writable<T> placed(values.size());
    const VertexId* const id = ids.data();
    workers.each(values.size(), 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t v = first; v < last; ++v) placed[id[v]] = values[v];
    });
    return placed.freeze();
  }
  // The vertex of `graph` that is `id` of the original, for every id.
  Array<VertexId> places(Workers& workers) const;
};

// Whether relabeling pays: vertices of at least kHubDegrees times the average degree have a good part of the edges,
// and edges do not lead nearby as it is. By the degrees and a sample of the edges.
bool relabeling_pays(const Csr& csr, Workers& workers);

// Rows in the new order, their edges likewise where they were sorted; weights go with their edges. `csr` is square.
PreparedGraph prepare(const Csr& csr, Workers& workers);

// The same from arrays of a file: InputError unless `ids` are a permutation and degrees agree with those of `csr`.
PreparedGraph prepared_from(const Csr& csr, Csr rows, Array<VertexId> ids, Workers& workers);

}  // namespace gaspipe
