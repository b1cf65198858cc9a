// SPDX-License-Identifier: Apache-2.0
// The runs of a partition's piece whose sources have something to send: what a super-step over a stream looks at, once
// most sources are silent.
#pragma once

#include <cstdint>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/engine/bitmap.h"

namespace gaspipe {
namespace engine {

class ActiveRuns {
 public:
  struct Run {
    VertexId source;
    std::uint32_t first_edge, num_edges;
  };

  // Lists them, without a branch that depends on a source. True where walking them is less work than streaming all.
  bool select(const abi::Partition& piece, const Bitmap& active) {
    if (runs_.size() <= piece.num_runs) runs_.resize(piece.num_runs + 1);
    std::uint32_t first = 0, size = 0, num_edges = 0;
    for (std::uint64_t i = 0; i < piece.num_runs; ++i) {
      const std::uint32_t length = piece.run_lengths[i];
      const bool is_active = active.get(piece.run_sources[i]);
      runs_[size] = {piece.run_sources[i], first, length};
      size += is_active;
      num_edges += is_active ? length : 0;
      first += length;
    }
    size_ = size;
    return num_edges + std::uint64_t(size) * kRunCost < piece.num_edges;
  }
  const Run* begin() const { return runs_.data(); }
  const Run* end() const { return runs_.data() + size_; }

 private:
  static constexpr std::uint64_t kRunCost = 4;  // edges: the end of a short run is mispredicted

  std::vector<Run> runs_;
  std::uint32_t size_ = 0;
};

}  // namespace engine
}  // namespace gaspipe
