// SPDX-License-Identifier: Apache-2.0
// A rank's own vertices, and a domain from the edges into them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "cpp/src/domain/id_set.h"
#include "cpp/src/domain/shuffle.h"
#include "gaspipe/communicator.h"
#include "gaspipe/domain.h"
#include "gaspipe/sorted_edges.h"

namespace gaspipe {
namespace detail {

class LocalPart {
 public:
  LocalPart(std::shared_ptr<Communicator> communicator, Ownership ownership, VertexId num_vertices,
            std::uint64_t most_in_flight, Workers& workers);

  const Ownership& ownership() const { return ownership_; }
  VertexId num_own() const { return num_own_; }
  VertexId id(VertexId own) const { return ids_.size() > 0 ? ids_[own] : first_id_ + own; }
  bool is_own(VertexId id) const { return ids_.size() > 0 ? own_->contains(id) : id - first_id_ < num_own_; }
  VertexId number(VertexId id) const { return ids_.size() > 0 ? own_->place(id) : id - first_id_; }

  // Together: of edges whose targets are own. `simplified`: rows without repetition, of parallel edges the smallest
  // weight.
  std::shared_ptr<Domain> domain(Arrived edges, WeightType type, bool simplified, Workers& workers) const;
  // Rows of own vertices, of edges whose *targets* are own: `sources` are where the rows' edges lead, by their ids.
  Csr out_rows(Arrived edges, WeightType type, Workers& workers) const;
  // Together: whether all edges of the whole graph have their reverses, weights aside.
  bool is_symmetric(const Domain& forward, Workers& workers) const;

 private:
  void find_ghosts(Domain& domain, Arrived& edges, Workers& workers) const;
  void exchange_mirrors(Domain& domain) const;
  Offsets whole_offsets(const Domain& domain, const Csr& rows, Workers& workers) const;

  const std::shared_ptr<Communicator> communicator_;
  const Ownership ownership_;
  const VertexId num_vertices_;
  const std::uint64_t most_in_flight_;
  VertexId num_own_ = 0, first_id_ = 0;
  Array<VertexId> ids_;       // empty: a range
  std::optional<IdSet> own_;  // of these
};

Weights weights_of(const Writable<std::uint8_t>& bytes, WeightType type);

}  // namespace detail
}  // namespace gaspipe
