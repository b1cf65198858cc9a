// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gaspipe/abi.h"
#include "gaspipe/graph.h"

namespace gaspipe {

// Whether an answer of a finished run has left the instance's number format (kLargestSum in hls/program.h). `values`
// are the answers of a program that walks `view`. Edges are looked at only where sums came near the end of the format.
// `is_part`: the graph is a domain, with values of ghosts, and paths may lie outside of it.
bool has_overflowed(const abi::Instance& instance, const Graph& graph, View view, bool is_part, const void* values,
                    Workers& workers);

}  // namespace gaspipe
