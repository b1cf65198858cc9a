// SPDX-License-Identifier: Apache-2.0
// Square rows in another shape: edges dropped, one component taken out, vertices in another order, degrees counted.
// Every answer is the same for any number of threads.
// Hub order: P. Faldu et al., "A Closer Look at Lightweight Graph Reordering", IISWC 2019,
// doi:10.1109/IISWC47752.2019.9041948 (there: degree-based grouping, DBG).
#pragma once

#include <cstdint>

#include "gaspipe/array.h"
#include "gaspipe/csr.h"
#include "gaspipe/workers.h"

namespace gaspipe {

// All edges but those of a vertex to itself, in the order they had.
Csr drop_self_loops(const Csr& csr, Workers& workers);

// The smallest vertex of every vertex's weakly connected component; in linear time, however long the paths are.
Array<VertexId> components(const Csr& csr, Workers& workers);
// Likewise, into memory of the caller's. In a graph known to be symmetric (Graph::is_symmetric) most edges need not be
// looked at.
// `first_targets`: of every row, as Graph::first_targets has them; null where they are not at hand.
void components(const Csr& csr, bool is_symmetric, VertexId* smallest, Workers& workers,
                const VertexId* first_targets = nullptr);

// The vertices of the largest weakly connected component, ascending; of equal ones that with the smallest vertex.
Array<VertexId> largest_component(const Csr& csr, Workers& workers);

// Vertices by falling out-degree, those of a degree by id.
Array<VertexId> degree_order(const Csr& csr, Workers& workers);

// Vertices by class of out-degree, those of a class by id: at least 32, 16, 8, 4, 2, 1 and 1/2 times the mean, then the
// rest. Hubs come together, and what was near stays near otherwise.
Array<VertexId> hub_order(const Csr& csr, Workers& workers);

// The subgraph on some or all vertices, order[i] being its vertex i; its rows sorted, parallel edges as they came.
// InputError where `order` leaves the graph or repeats a vertex.
Csr select_vertices(const Csr& csr, const Array<VertexId>& order, Workers& workers);

// Ids of a caller as vertices in order: InputError unless there are `num_vertices` of them, each below that.
Array<VertexId> vertex_order(const Array<std::int64_t>& ids, VertexId num_vertices, Workers& workers);
Array<VertexId> vertex_order(const Array<std::uint64_t>& ids, VertexId num_vertices, Workers& workers);

// How many vertices have degree 0, 1, 2 to 3, 4 to 7, and so on up to the largest degree there is.
struct DegreeHistogram {
  Array<std::int64_t> lower_bounds, counts;
};
DegreeHistogram degree_histogram(const Csr& csr, bool incoming, Workers& workers);

}  // namespace gaspipe
