// SPDX-License-Identifier: Apache-2.0
// A search on an array of PEs, level by level, and what a board would take for it. On a card the kernel goes through
// all levels in one launch where it leads; what each found is told afterwards, level by level.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cpp/src/pe_array/banks.h"
#include "cpp/src/pe_array/on_board.h"
#include "gaspipe/pe_array.h"
#include "hls/local_store/direction.h"

namespace gaspipe {
namespace pe_array {

// Who goes from level to level: the kernel by itself, in one launch, or the host, which launches every level.
enum class Leads { kKernel, kHost };

class Search {
 public:
  // `pulls`: null where every level is pushed; else `lists` are its. `key`: of the graph on a card. Roots differ.
  // Throws as pe_array::run. All outlive this.
  Search(const DeviceLists& lists, const PullRows* pulls, const std::shared_ptr<const void>& key,
         const std::vector<VertexId>& roots, const RunOptions& options, Leads leads);

  int num_pes() const { return lists_.num_pes(); }
  // No vertex is left that the next level would start from.
  bool is_over() const { return num_found_ == 0; }
  // Searches a level.
  abi::Superstep step();
  // The vertices that the last level found, or at first the roots, by the PEs that own them: visit(vertex, parent).
  std::uint64_t num_found(int pe) const { return banks_.control(pe).lane[ControlLane::kNumEntries]; }
  template <class Visit>
  void each_found(int pe, const Visit& visit) const {
    banks_.each_entry(pe, [&](VertexId place, VertexId parent) { visit(vertex(place), vertex(parent)); });
  }
  // Of these, `stays(vertex)`, asked in this order, keeps some. The others count as not found: later levels may find
  // them anew.
  template <class Stays>
  void keep(const Stays& stays) {
    take_back();
    banks_.keep(lists_.num_pes(), [&](VertexId place) { return stays(vertex(place)); });
    note_level();
  }

  // Levels of all vertices, -1 where unreached.
  const Writable<std::int32_t>& depth() const { return depth_; }
  const OnBoard& board() const { return board_; }
  Profile profile() const;
  const char* name() const;

 private:
  VertexId vertex(VertexId place) const { return pulls_ == nullptr ? place : pulls_->vertex(place); }
  std::uint32_t list_words() const;
  void note_level();
  void take_back();
  bool is_worth_pulling();
  std::uint64_t sources_looked_at() const;
  predict::KernelTiming launch(bool is_pulled);
  void launch_on(KernelAlone& card);
  void describe();
  void take(predict::KernelTiming timing, bool is_pulled, std::uint64_t num_edges);

  const DeviceLists& lists_;
  const PullRows* pulls_;
  const Leads leads_;
  OnBoard board_;
  const VertexId capacity_;
  Banks banks_;
  Writable<std::int32_t> depth_;
  Writable<std::int64_t> parent_;
  LevelControl control_ = {}, before_ = {};  // of the newest level, and of the one before: what a launch is told
  std::int32_t level_ = 0;
  std::uint64_t num_found_ = 0, edges_found_ = 0;  // of the newest level: vertices, and their edges
  std::uint64_t edges_ = 0;                        // of all levels
  std::vector<std::uint64_t> level_cycles_;
  std::vector<bool> level_pulled_;
};

}  // namespace pe_array
}  // namespace gaspipe
