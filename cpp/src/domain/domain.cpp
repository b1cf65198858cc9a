// SPDX-License-Identifier: Apache-2.0
// Look-ups from ids of the whole graph.
#include "gaspipe/domain.h"

#include <algorithm>

namespace gaspipe {

VertexId Domain::local(VertexId vertex, int owner) const {
  const auto find = [&](const VertexId* first, const VertexId* last, VertexId number) {
    const VertexId* const found = std::lower_bound(first, last, vertex);
    return found != last && *found == vertex ? number + static_cast<VertexId>(found - first) : kNoVertex;
  };
  if (owner != rank) {
    const VertexId first = ghost_first[owner], last = ghost_first[std::size_t(owner) + 1];
    return find(ghost_ids.data() + first, ghost_ids.data() + last, num_own + first);
  }
  if (ids.size() > 0) return find(ids.begin(), ids.end(), 0);
  return vertex >= first_id && vertex - first_id < num_own ? vertex - first_id : kNoVertex;
}

int Ownership::owner(VertexId v) const {
  if (!is_contiguous()) return owners[v];
  return static_cast<int>(std::upper_bound(first.begin(), first.end(), v) - first.begin()) - 1;
}

}  // namespace gaspipe
