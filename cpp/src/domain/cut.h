// SPDX-License-Identifier: Apache-2.0
// The domains of a graph, all at once.
#pragma once

#include <memory>
#include <vector>

#include "gaspipe/domain.h"

namespace gaspipe {
namespace detail {

struct CutOptions {
  bool combine = true;
  bool is_symmetric = false;  // the rows are known to be: their in-edges count as at hand
};
// Of every rank. O(V + E), on all workers; the same whatever their number. Edges keep the order that they have in their
// row. CapacityError where a domain has more vertices and ghosts than ids.
std::vector<std::shared_ptr<const Domain>> cut(const Csr& rows, const Ownership& ownership, const CutOptions& options,
                                               Workers& workers);

}  // namespace detail
}  // namespace gaspipe
