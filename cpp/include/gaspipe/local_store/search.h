// SPDX-License-Identifier: Apache-2.0
// Breadth-first search by workers with local stores, as it was made for the Cell: vertices belong to workers, and only
// a worker's own store holds what it searches with. Queues and lists lie in main memory and pass through small buffers,
// in six steps: fetch, gather, dispatch, all-to-all, bitmap, commit. In a scheduling period a worker loads iteration k
// + 1, computes k and stores k - 1. Out of core, queues and lists lie in files, and only levels in main memory.
//
// Workers are logical: threads share them out, and one thread can run them all. Beyond the published method, an owner
// whose vertices are all marked says so in its receipts; the others send it no more, and the search ends once all are.
// Method: D. P. Scarpazza, O. Villa, F. Petrini, "Efficient Breadth-First Search on the Cell/BE Processor", IEEE
// Transactions on Parallel and Distributed Systems 19(10), 2008, pages 1381-1395.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gaspipe/array.h"
#include "gaspipe/local_store/layout.h"
#include "gaspipe/local_store/split_lists.h"
#include "gaspipe/local_store/steps.h"
#include "gaspipe/local_store/stored_lists.h"
#include "gaspipe/workers.h"

namespace gaspipe {
namespace local_store {

constexpr std::uint64_t kDefaultStoreBytes = 256 * 1024;

// I/O buffers of a worker out of core, in bytes; there are two of each, besides the local store.
struct IoSizes {
  std::uint64_t lists = 256 * 1024, queue = 64 * 1024;  // the latter is a multiple of a page

  static IoSizes least(const TransferLimits& limits = {});
  std::uint64_t total() const;  // that a worker takes
};

struct Settings {
  std::uint64_t local_store_bytes = kDefaultStoreBytes;
  bool hide_latency = true;  // whether transfers run beside computing
  bool trace = false;        // whether to keep Profile::trace
  TransferLimits limits = {};
  IoSizes io = {};
  std::string folder = ".";                            // of the temporary file of queues: of all vertices, once
  std::function<void(const Level&)> after_level = {};  // called on the calling thread
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
// Likewise, and GraphFormatError where the file is damaged, cut short or written to, FileError where the system refuses
// to read it or to write queues.
Answer search(const StoredLists& lists, VertexId root, const Settings& settings, Workers& workers);

}  // namespace local_store
}  // namespace gaspipe
