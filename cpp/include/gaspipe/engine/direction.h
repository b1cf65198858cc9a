// SPDX-License-Identifier: Apache-2.0
// Whether a frontier is pushed or pulled. A pull looks at the in-edges of all vertices that are not settled, each up to
// its first hit: that is less work once the frontier has a large part of the edges that are left.
// Method: S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012,
// doi:10.1109/SC.2012.50.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gaspipe/engine/frontier.h"

namespace gaspipe {
namespace engine {

// Pull once the frontier has more edges than the unexplored part of the graph / kPullShare; push again once the
// frontier shrinks and is below n / kPushVertices. As published; GAPBS has 15 and 18.
constexpr EdgeCount kPullShare = 15;
constexpr EdgeCount kPushVertices = 18;

class Direction {
 public:
  explicit Direction(const abi::Csr& csr) : num_vertices_(csr.num_vertices), unexplored_(csr.num_edges) {}

  bool pulls() const { return pulls_; }
  // Chooses for the next step. Turns to pulls only if a frontier of more than `most_edges_alone` edges is large enough
  // and pull_pays() agrees. True where it has changed.
  template <class PullPays>
  bool choose(const Frontier& frontier, EdgeCount most_edges_alone, const PullPays& pull_pays) {
    const bool did_pull = pulls_;
    if (!pulls_) {
      const EdgeCount edges = frontier.edges();
      pulls_ = edges > unexplored_ / kPullShare && edges > most_edges_alone && pull_pays();
    } else if (frontier.size() < last_size_ && frontier.size() <= num_vertices_ / kPushVertices) {
      pulls_ = false;
    }
    last_size_ = frontier.size();
    return pulls_ != did_pull;
  }

  void count_pushed(EdgeCount edges) { unexplored_ -= std::min(unexplored_, edges); }

 private:
  const std::uint64_t num_vertices_;
  EdgeCount unexplored_;  // edges that no push has walked
  std::uint64_t last_size_ = 0;
  bool pulls_ = false;
};

}  // namespace engine
}  // namespace gaspipe
