// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gaspipe/run.h"

namespace gaspipe {

// A run over options.domains, each on a thread of its own with its share of the threads. The answer is that of the
// whole graph.
Result run_domains(const abi::Program& program, const Graph& graph, const Arguments& arguments,
                   const RunOptions& options);

// Of all domains together, from what each of them says: times are those of the slowest.
Stats joined_stats(const std::vector<Stats>& of_each);

}  // namespace gaspipe
