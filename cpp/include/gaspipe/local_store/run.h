// SPDX-License-Identifier: Apache-2.0
// Cell's search as the method "local_store" of gp.bfs: from the options of a run to its statistics.
#pragma once

#include "gaspipe/graph.h"
#include "gaspipe/local_store/search.h"
#include "gaspipe/run_options.h"
#include "gaspipe/stats.h"

namespace gaspipe {
namespace local_store {

struct Run {
  Answer answer;
  Stats stats;  // a super-step is a level; all its time counts as scatter_gather
};

// InputError for options of this method without it.
void check_absent(const RunOptions& options);

// How many workers a run has: as asked for, or one per thread. InputError for options that do not go with the method.
int num_workers(const RunOptions& options);

// Throws as search() does, and InputError where the lists are split for another number of workers than is asked for.
Run run(const SplitLists& lists, VertexId root, const RunOptions& options);

}  // namespace local_store
}  // namespace gaspipe
