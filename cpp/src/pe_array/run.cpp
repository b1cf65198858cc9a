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

Run search_from(const DeviceLists& lists, const PullRows* pulls, const std::shared_ptr<const void>& key, VertexId root,
                const RunOptions& options) {
  check_options(options);
  Search search(lists, pulls, key, {root}, options, Leads::kKernel);
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

// As many as the xclbin has.
int num_pes_on_card(const RunOptions& options) {
  const CardDesign& design = options.card->design();
  const std::uint64_t pes = design.pes;
  if (options.workers.value_or(pes) != pes) {
    throw InputError(
        message("workers is ", *options.workers, "; the kernel of ", design.xclbin, " has ", pes, " PEs: omit it"));
  }
  return static_cast<int>(pes);
}

}  // namespace

int num_pes(const RunOptions& options) {
  check_options(options);
  if (options.card) return num_pes_on_card(options);
  const Board& board = board_of(options);
  if (!options.workers) return board.memory.num_banks >= kMostPes ? kMostPes : board.memory.num_banks >= 4 ? 4 : 2;
  const std::uint64_t workers = *options.workers;
  if (workers != 2 && workers != 4 && workers != 8) {
    throw InputError(message("workers is ", workers, "; with device=\"", options.device, "\" method=\"", options.method,
                             "\" is a kernel of 2, 4 or 8 PEs"));
  }
  return static_cast<int>(workers);
}

Run run(const std::shared_ptr<const DeviceLists>& lists, VertexId root, const RunOptions& options) {
  return search_from(*lists, nullptr, lists, root, options);
}
Run run(const std::shared_ptr<const PullRows>& rows, VertexId root, const RunOptions& options) {
  return search_from(rows->lists(), rows.get(), rows, root, options);
}

}  // namespace pe_array
}  // namespace gaspipe
