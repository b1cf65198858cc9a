// SPDX-License-Identifier: Apache-2.0
// Whether rows are those of an undirected graph, where every edge is in the rows of both its ends: which edge is not,
// or, much faster, whether all are.
#pragma once

#include <optional>

#include "gaspipe/csr.h"

namespace gaspipe {
namespace detail {

struct Unpaired {
  enum class Reason { kMissing, kParallel, kWeight };
  Reason reason;
  VertexId source, target;  // kMissing: the edge that is more often than its reverse
};

struct Pairing {
  bool allow_parallel = false;
  bool compare_weights = true;  // those of parallel edges in any order
};

// The first edge, by rows in ascending order, that is not as it should be.
std::optional<Unpaired> find_unpaired(const Csr& csr, const Pairing& pairing, Workers& workers);

// Weights aside, parallel edges counted; as Graph::is_symmetric says. Linear, one pass, no memory.
bool is_symmetric(const Csr& csr, Workers& workers);

// Whether the rows are sorted, without repetition, and every edge has a reverse of the same weight: the rows of an
// undirected graph as they should be. Likewise.
bool is_undirected(const Csr& csr, Workers& workers);

}  // namespace detail
}  // namespace gaspipe
