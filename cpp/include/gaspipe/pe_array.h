// SPDX-License-Identifier: Apache-2.0
// Arrays of PEs, in the emulator or on a card: the graph in the PEs' memory banks, and a search that launches a kernel
// level by level. Cell's (hls/kernel/local_store_bfs.h) pushes; the direction-optimizing one pulls where that takes
// less (hls/kernel/pull_bfs.h); shortest paths go by buckets of distance (hls/kernel/delta_stepping.h).
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
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

// The methods of searches. The second is there for programs too.
constexpr const char* kPushMethod = "local_store";
constexpr const char* kPullMethod = "direction_optimizing";

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

using SourceWord = Word<VertexId>;

// What a search that also pulls has besides (hls/local_store/pull.h): heads and rows of every vertex's sources. Its
// vertices have places of their own: by falling in-degree they are dealt out to the PEs, whose ranges are whole words
// of a bitmap, so that every PE has as much to do and those with sources come first.
class PullRows {
 public:
  // `csr` is square; errors as of DeviceLists.
  PullRows(const Csr& csr, int num_pes, Workers& workers);

  const DeviceLists& lists() const { return *lists_; }  // of places
  VertexId num_vertices() const { return static_cast<VertexId>(places_.size()); }
  VertexId place(VertexId v) const { return places_[v]; }
  VertexId vertex(VertexId place) const { return vertices_[place]; }  // kNoVertex: none
  const Array<SourceWord>& rows(int pe) const { return rows_[static_cast<std::size_t>(pe)]; }
  std::uint32_t num_groups() const { return num_groups_; }  // of heads, of every PE
  VertexId num_headed() const { return num_headed_; }       // vertices with sources, of all PEs
  struct Head {
    VertexId source;
    std::uint32_t num_others;  // sources in its row
    const SourceWord* row;
  };
  Head head(VertexId place) const;
  std::uint64_t num_bytes() const;  // of all PEs: their heads and rows

 private:
  Array<VertexId> places_, vertices_;
  std::uint32_t num_groups_ = 0;
  VertexId num_headed_ = 0;
  std::unique_ptr<DeviceLists> lists_;
  std::vector<Array<SourceWord>> rows_;
};

// What shortest paths have (hls/local_store/distances.h): heads and rows of weighted edges, of vertices that are dealt
// out to the PEs in turn.
class WeightedRows {
 public:
  // `csr` is square; without weights an edge is 1 long. InputError for weights that are neither integers from 0 to
  // 2^31 - 3 nor finite numbers of float from 0 on, the rest as of DeviceLists.
  WeightedRows(const Csr& csr, int num_pes, Workers& workers);

  int num_pes() const { return num_pes_; }
  VertexId num_vertices() const { return num_vertices_; }
  EdgeCount num_edges() const { return num_edges_; }
  bool is_floating() const { return is_floating_; }  // weights and distances are float
  VertexId share() const;                            // what the first PE owns, which is most
  std::uint32_t num_words() const;                   // of the cells of every PE
  // Of the first bucket, a length (hls/local_store/length.h), and what the kernel widens the others by (bucket.h).
  std::uint32_t width() const { return width_; }
  std::uint32_t balance() const { return balance_; }
  const Array<Line>& heads(int pe) const { return heads_[static_cast<std::size_t>(pe)]; }
  const Array<Line>& edges(int pe) const { return edges_[static_cast<std::size_t>(pe)]; }
  std::uint64_t num_bytes() const;  // of all PEs

 private:
  VertexId num_vertices_;
  EdgeCount num_edges_;
  int num_pes_;
  bool is_floating_ = false;
  std::uint32_t width_ = 1, balance_ = 1;
  std::vector<Array<Line>> heads_, edges_;
};

// Vertices of a PE whose bitmaps the board's UltraRAM has room for, as `gaspipe build` builds kernels for it; 0 where
// not even the smallest fit.
VertexId capacity_on(const Board& board, int num_pes, bool pulls);
// Blocks of UltraRAM of a PE with bitmaps for so many vertices; if it `pulls`, for both ways.
int uram_blocks(VertexId capacity, int num_pes, bool pulls);
// The same for shortest paths, whose PEs keep a distance of every vertex.
VertexId settled_capacity_on(const Board& board, int num_pes);
int settled_uram_blocks(VertexId capacity);
// The bank of a PE, as `gaspipe build` links it: of several, the first.
std::size_t bank_of(const Board& board, int num_pes, int pe);
// That of its rows: of several, the last.
std::size_t rows_bank_of(const Board& board, int num_pes, int pe);

// How many PEs a search has: as asked for with `workers`, or as many as have a bank of their own; on a card as many as
// were built. InputError for other numbers, and for options that the kernel does not take.
int num_pes(const RunOptions& options);

struct Run {
  Array<std::int32_t> depth;  // hops from the root, -1 where unreached
  Stats stats;                // a super-step is a level
  const Profile& profile() const { return *stats.pe_array; }
};

// Throws InputError for a root that there is not, CapacityError for a graph that the board does not hold, DeviceError
// where the kernel cannot go on, Cancelled when interrupted.
// A card keeps the lists or rows as long as they are here.
Run run(const std::shared_ptr<const DeviceLists>& lists, VertexId root, const RunOptions& options);
// The same, pulling where that takes less.
Run run(const std::shared_ptr<const PullRows>& rows, VertexId root, const RunOptions& options);

struct Paths {
  // -1 where unreached, or infinity
  std::variant<Array<std::int64_t>, Array<float>> distance;
  std::vector<std::uint64_t> phase_cycles;  // of the kernel; empty where it had no clock
  double width = 0;                         // of the first bucket
  std::uint64_t num_buckets = 0;            // 0: not known, for a card's kernel went through by itself
  std::uint64_t edges = 0;                  // of the vertices that were reached
  VertexId capacity = 0;                    // vertices that a PE of the board has room for
  // A super-step is a phase: how many vertices were sent, and their edges. Of a card's kernel that went through by
  // itself there is one, of all vertices that were reached.
  Stats stats;
};

// Shortest paths in buckets of distance (hls/kernel/delta_stepping.h); errors as of run(), and CapacityError for a
// distance of 2^31 - 2 or more, or beyond float.
Paths shortest_paths(const std::shared_ptr<const WeightedRows>& rows, VertexId root, const RunOptions& options);

}  // namespace pe_array
}  // namespace gaspipe
