// SPDX-License-Identifier: Apache-2.0
// When a graph that is asked often is relabeled without being told to.
#pragma once

#include "gaspipe/csr.h"

namespace gaspipe {
namespace detail {

// Whether runs that relabeling would have made faster have taken kWorth times what it was seen to take: then it has
// cost less than it could have saved, if as much is to come. Smaller graphs than kLeastEdges lie in the caches anyway.
bool is_asked_often(const Csr& csr, double seconds_of_runs);

// Whether kernels could pass over much of it, slice by slice (gaspipe/edge_slices.h).
bool is_worth_a_form(const Csr& csr);

// Whether half of the memory that the system has to give away would hold the same edges once more.
bool has_memory_for_another(const Csr& csr);

}  // namespace detail
}  // namespace gaspipe
