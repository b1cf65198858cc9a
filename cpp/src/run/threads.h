// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gaspipe/graph.h"

namespace gaspipe {

// How many threads to ask for; 0: as OpenMP is set. Where the caller does not say, a small graph gets one: it is done
// before others are awake.
inline int threads_for(EdgeCount num_edges, int num_threads) {
  constexpr EdgeCount kMostEdgesOnOneThread = 1 << 15;
  return num_edges <= kMostEdgesOnOneThread && num_threads == 0 ? 1 : num_threads;
}
inline int threads_for(const Graph& graph, int num_threads) { return threads_for(graph.num_edges(), num_threads); }

}  // namespace gaspipe
