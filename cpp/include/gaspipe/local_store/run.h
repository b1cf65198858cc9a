// SPDX-License-Identifier: Apache-2.0
// Cell's search as the method "local_store" of gp.bfs: from the options of a run to its statistics.
#pragma once

#include <cstdint>
#include <string>

#include "gaspipe/graph.h"
#include "gaspipe/local_store/search.h"
#include "gaspipe/run_options.h"
#include "gaspipe/stats.h"

namespace gaspipe {
namespace local_store {

struct Run {
  Answer answer;
  std::uint64_t local_store_bytes = 0;  // of a worker
  Stats stats;                          // a super-step is a level; all its time counts as scatter_gather
};

// InputError for options of this method without it.
void check_absent(const RunOptions& options);

// How many workers a run has: as asked for, or one per thread. InputError for options that do not go with the method.
int num_workers(const RunOptions& options);

// Throws as search() does, and InputError where the lists are split for another number of workers than is asked for.
Run run(const SplitLists& lists, VertexId root, const RunOptions& options);

// Of a run over lists that stay in their file, besides the options.
struct OutOfCore {
  std::string folder;             // of the temporary file of queues
  std::uint64_t other_bytes = 0;  // that the caller will take for the answer
};
// The number of workers is that of the lists unless another is asked for, which throws. Local stores that are not asked
// for take what the graph's budget of memory leaves, as far as they gain from it. CapacityError for a budget that is
// too small says the least that works.
Run run(const StoredLists& lists, VertexId root, const RunOptions& options, const OutOfCore& out_of_core);

}  // namespace local_store
}  // namespace gaspipe
