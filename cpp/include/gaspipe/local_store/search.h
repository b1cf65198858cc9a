// SPDX-License-Identifier: Apache-2.0
// Breadth-first search by workers with local stores, as it was made for the Cell: vertices belong to workers, and only
// a worker's own store holds what it searches with. Queues and lists lie in main memory and pass through small buffers,
// in six steps: fetch, gather, dispatch, all-to-all, bitmap, commit. In a scheduling period a worker loads iteration k
// + 1, computes k and stores k - 1.
//
// Workers are logical: threads share them out, and one thread can run them all. Beyond the published method, an owner
// whose vertices are all marked says so in its receipts; the others send it no more, and the search ends once all are.
// Method: D. P. Scarpazza, O. Villa, F. Petrini, "Efficient Breadth-First Search on the Cell/BE Processor", IEEE
// Transactions on Parallel and Distributed Systems 19(10), 2008, pages 1381-1395.
#pragma once

#include <cstdint>
#include <functional>

#include "gaspipe/array.h"
#include "gaspipe/local_store/layout.h"
#include "gaspipe/local_store/split_lists.h"
#include "gaspipe/local_store/steps.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace local_store {

constexpr std::uint64_t kDefaultStoreBytes = 256 * 1024;

struct Settings {
  std::uint64_t local_store_bytes = kDefaultStoreBytes;
  bool hide_latency = true;  // whether transfers run beside computing
  bool trace = false;        // whether to keep Profile::trace
  TransferLimits limits = {};
  std::function<void(const Level&)> after_level = {};           // called on the calling thread
  std::function<void(int worker, Step step)> before_step = {};  // called on the worker's thread; tests wait in it
};

struct Answer {
  Array<std::int32_t> depth;  // hops from the root, -1 where unreached
  Profile profile;
  Layout layout;
};

// Throws InputError for a root that there is not, CapacityError where the store is too small, Cancelled when
// interrupted. Of the threads of `workers`, at most one per worker of the lists is of use.
Answer search(const SplitLists& lists, VertexId root, const Settings& settings, Workers& workers);

}  // namespace local_store
}  // namespace gaspipe
