// SPDX-License-Identifier: Apache-2.0
// Shortest paths, from the distances along them.
#pragma once

#include <cstdint>

#include "gaspipe/graph.h"
#include "gaspipe/workers.h"

namespace gaspipe {

// The vertex before every one on a shortest path from `root`: of those there are, the smallest; where edges of weight 0
// lead in circles, of those that are fewest such edges away. The root is before itself, -1 before what is not reached.
// `distances` are of int32 (hops: weights are not read), int64, float or double, as a run gives them: negative or
// infinite where unreached. The same for any number of threads.
template <class Distance>
Array<std::int64_t> predecessors(const Graph& graph, const Array<Distance>& distances, VertexId root, Workers& workers);

}  // namespace gaspipe
