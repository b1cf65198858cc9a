// SPDX-License-Identifier: Apache-2.0
// Which worker owns a vertex: contiguous ranges of equal length, the last ones shorter or empty. In rows sorted by
// target, and in the bitmap, what belongs to one owner is then contiguous, and the place in the bitmap is a difference
// instead of the quotient that ids modulo the number of workers would need.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hls/types.h"

namespace gaspipe {
namespace local_store {

class Owners {
 public:
  Owners(VertexId num_vertices, int num_workers)
      : num_vertices_(num_vertices),
        num_workers_(num_workers),
        share_(static_cast<VertexId>((std::uint64_t(num_vertices) + num_workers - 1) / num_workers)) {
    if (share_ == 0) share_ = 1;
  }

  VertexId num_vertices() const { return num_vertices_; }
  int num_workers() const { return num_workers_; }
  VertexId share() const { return share_; }  // what the first worker owns, which is most
  int of(VertexId v) const { return static_cast<int>(v / share_); }
  VertexId first(int worker) const {
    return static_cast<VertexId>(std::min<std::uint64_t>(num_vertices_, std::uint64_t(share_) * worker));
  }
  VertexId count(int worker) const { return first(worker + 1) - first(worker); }

 private:
  VertexId num_vertices_;
  int num_workers_;
  VertexId share_;
};

}  // namespace local_store
}  // namespace gaspipe
