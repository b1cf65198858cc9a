// SPDX-License-Identifier: Apache-2.0
// Searches on an array of PEs: the host's loop over levels.
#include <memory>

#include "cpp/src/clock.h"
#include "cpp/src/pe_array/search.h"
#include "gaspipe/error.h"
#include "gaspipe/pe_array.h"

namespace gaspipe {
namespace pe_array {
namespace {

Run search_from(const DeviceLists& lists, const PullRows* pulls, VertexId root, const RunOptions& options) {
  check_options(options);
  Search search(lists, pulls, {root}, options, Leads::kKernel);
  Run made;
  const auto start = Clock::now();
  while (!search.is_over()) {
    const abi::Superstep step = search.step();
    made.stats.supersteps.add(step);
    if (options.progress) options.progress(made.stats.supersteps.size() - 1, step);
  }
  made.depth = search.depth().freeze();
  made.stats.seconds = seconds_since(start);
  made.stats.pe_array = std::make_shared<Profile>(search.profile());
  search.board().finish(made.stats, search.name(), lists.num_edges());
  return made;
}

}  // namespace

int num_pes(const RunOptions& options) {
  check_options(options);
  const Board& board = board_of(options);
  if (!options.workers) return board.memory.num_banks >= kMostPes ? kMostPes : board.memory.num_banks >= 4 ? 4 : 2;
  const std::uint64_t workers = *options.workers;
  if (workers != 2 && workers != 4 && workers != 8) {
    throw InputError(message("workers is ", workers, "; with device=\"", options.device, "\" method=\"", options.method,
                             "\" is a kernel of 2, 4 or 8 PEs"));
  }
  return static_cast<int>(workers);
}

Run run(const DeviceLists& lists, VertexId root, const RunOptions& options) {
  return search_from(lists, nullptr, root, options);
}
Run run(const PullRows& rows, VertexId root, const RunOptions& options) {
  return search_from(rows.lists(), &rows, root, options);
}

}  // namespace pe_array
}  // namespace gaspipe
