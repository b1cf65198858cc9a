// SPDX-License-Identifier: Apache-2.0
// Cell's search on an array of PEs (hls/kernel/local_store_bfs.h) in the emulator: the graph in the PEs' memory banks,
// and a search that launches the kernel level by level.
#pragma once

#include <cstdint>
#include <vector>

#include "gaspipe/array.h"
#include "gaspipe/boards.h"
#include "gaspipe/csr.h"
#include "gaspipe/local_store/owners.h"
#include "gaspipe/run_options.h"
#include "gaspipe/stats.h"
#include "gaspipe/workers.h"
#include "hls/word.h"

namespace gaspipe {
namespace pe_array {

using Line = Word<std::uint64_t>;

// The lists of a graph's vertices, split by the PEs that own their targets, as the kernel reads them
// (hls/local_store/code.h): one array per PE, with the lists of the vertices that it owns.
class DeviceLists {
 public:
  // `csr` is square. InputError for a number of PEs that no kernel has, CapacityError for more vertices of a PE, words
  // of its lists or targets of a vertex than codes and headers can count.
  DeviceLists(const Csr& csr, int num_pes, Workers& workers);

  const local_store::Owners& owners() const { return owners_; }
  int num_pes() const { return owners_.num_workers(); }
  VertexId num_vertices() const { return owners_.num_vertices(); }
  EdgeCount num_edges() const { return num_edges_; }
  const Array<Line>& lists(int pe) const { return lists_[pe]; }
  std::uint64_t code(VertexId v) const { return codes_[v]; }
  EdgeCount degree(VertexId v) const;
  // Of all PEs: their lists.
  std::uint64_t num_bytes() const;

 private:
  local_store::Owners owners_;
  EdgeCount num_edges_;
  Array<std::uint64_t> codes_;  // by vertex
  std::vector<Array<Line>> lists_;
};

// Vertices of a PE whose bitmap the board's UltraRAM has room for, as `gaspipe build` builds kernels for it; 0 where
// not even the smallest fits.
VertexId capacity_on(const Board& board, int num_pes);
// Blocks of UltraRAM of a PE with a bitmap of so many vertices.
int uram_blocks(VertexId capacity);
// The bank of a PE, as `gaspipe build` links it: of several, the first.
std::size_t bank_of(const Board& board, int num_pes, int pe);

// How many PEs a search has: as asked for with `workers`, or as many as have a bank of their own. InputError for
// numbers that no kernel has, and for options that the kernel does not take.
int num_pes(const RunOptions& options);

struct Run {
  Array<std::int32_t> depth;   // hops from the root, -1 where unreached
  Array<std::int64_t> parent;  // the vertex that each was found from, the root's is itself; -1 where unreached
  std::vector<std::uint64_t> level_cycles;  // of the kernel; empty where it had no clock
  VertexId capacity = 0;                    // vertices that a PE of the board has room for
  Stats stats;                              // a super-step is a level
};

// Throws InputError for a root that there is not, CapacityError for a graph that the board does not hold, DeviceError
// where the kernel cannot go on, Cancelled when interrupted.
Run run(const DeviceLists& lists, VertexId root, const RunOptions& options);

}  // namespace pe_array
}  // namespace gaspipe
