// SPDX-License-Identifier: Apache-2.0
// Updates of vertices become updates of lines: those that fall into an open line join it, so that memory is asked for a
// line once and not for every value in it. The oldest entry leaves when its place is needed or when it has waited long
// enough.
//
// GraphOps has two. UpdQueueSM (SeqCoalescer here) is for updates in the order of the vertices: 8 lines, and a line
// leaves when it has had no hit for 64 updates (there: cycles). CoalesceSM (BestEffortCoalescer) is for any order: 16
// lines. Each is safe with any order; they differ in how many requests they make. Later updates to the same line, after
// it left, are elem_update's affair.
#pragma once

#include "hls/block/types.h"
#include "hls/module/tokens.h"

namespace gaspipe {
namespace block {

// New values for some lanes of a line of properties.
template <class P>
struct LineUpdate {
  std::uint32_t line, lanes;
  Lanes<P> values;
  bool end;
};

// `Policy::merge(P first, P second)`: two values for one vertex. `depth` lines are open at most; one that had no hit
// for `idle` updates leaves (0: never for that).
template <class P, class Policy, int depth, std::uint32_t idle>
class Coalescer {
  static_assert(depth >= 1, "a line at least");

 public:
  static constexpr int kDepth = depth;

  // Takes an update. True: an entry has left for it.
  bool absorb(VertexId vertex, const P& value, LineUpdate<P>& left) {
    GASPIPE_PRAGMA(HLS INLINE);
    const std::uint32_t line = static_cast<std::uint32_t>(line_of<P>(vertex)), lane = vertex % Line<P>::kSize;
    int hit = -1;
    for (int i = 0; i < depth; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (i < num_ && entry_[i].line == line) hit = i;
      ++age_[i];
    }
    // Entry 0 is the oldest. A hit keeps its entry, but for one that is complete with it.
    const bool is_full = num_ == depth, is_idle = idle != 0 && num_ != 0 && age_[0] > idle;
    const bool leaves = hit != 0 && (is_idle || (hit < 0 && is_full));
    left = entry_[0];
    if (leaves) drop_oldest();
    const int at = hit < 0 ? num_ : hit - (leaves ? 1 : 0);
    if (hit < 0) ++num_;
    for (int i = 0; i < depth; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (i == at) put(i, hit < 0, line, lane, value);
    }
    return leaves;
  }
  // Takes the oldest entry, of those that are left after the last update; false where there is none.
  bool pop(LineUpdate<P>& left) {
    GASPIPE_PRAGMA(HLS INLINE);
    const bool has = num_ != 0;
    left = entry_[0];
    if (has) drop_oldest();
    return has;
  }
  // Lines that are open.
  int size() const { return num_; }

 private:
  void put(int i, bool is_new, std::uint32_t line, std::uint32_t lane, const P& value) {
    GASPIPE_PRAGMA(HLS INLINE);
    const std::uint32_t before = is_new ? 0 : entry_[i].lanes;
    entry_[i].line = line;
    entry_[i].lanes = before | 1u << lane;
    entry_[i].end = false;
    age_[i] = 0;
    for (std::uint32_t l = 0; l < Line<P>::kSize; ++l) {
      GASPIPE_PRAGMA(HLS UNROLL);
      if (l == lane) {
        const bool had = (before >> l & 1u) != 0;
        entry_[i].values.lane[l] = had ? Policy::merge(entry_[i].values.lane[l], value) : value;
      }
    }
  }
  void drop_oldest() {
    GASPIPE_PRAGMA(HLS INLINE);
    for (int i = 0; i + 1 < depth; ++i) {
      GASPIPE_PRAGMA(HLS UNROLL);
      entry_[i] = entry_[i + 1];
      age_[i] = age_[i + 1];
    }
    --num_;
  }

  LineUpdate<P> entry_[depth] = {};  // the first num_, oldest first
  std::uint32_t age_[depth] = {};    // updates since the last hit
  int num_ = 0;
};

template <class P, class Policy, int depth = 8, std::uint32_t idle = 64>
using SeqCoalescer = Coalescer<P, Policy, depth, idle>;
template <class P, class Policy, int depth = 16>
using BestEffortCoalescer = Coalescer<P, Policy, depth, 0>;

}  // namespace block
}  // namespace gaspipe
