// SPDX-License-Identifier: Apache-2.0
// A graph that no process holds as a whole. Every rank hands over the edges that it has read, any of them and in any
// pieces; finish() sends each edge to the rank that owns its target. A rank then has the edges into its own vertices,
// and of the whole graph only the offsets of the rows (4 bytes per vertex, 8 where there are 2^32 edges or more).
//
// All ranks construct, finish and ask for domains together. Where a call throws on one rank, that rank is to call
// Communicator::fail: the calls of the others then end with RankError.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gaspipe/communicator.h"
#include "gaspipe/domain.h"
#include "gaspipe/graph.h"

namespace gaspipe {

struct DistributedOptions {
  std::string strategy = "balanced";          // one of domain_strategies(); balanced counts the edges of all ranks
  std::optional<std::uint64_t> num_vertices;  // else the largest id + 1, and at least 1
  bool simplify = false;                      // rows without repetition; of parallel edges, the smallest weight stays
  std::uint64_t most_in_flight = std::uint64_t(64) << 20;  // bytes of edges that a rank sends, or gets, at a time
  Array<std::uint16_t> owners = {};  // a rank for every vertex, the same on all ranks; empty: by the strategy
};

class DistributedEdges : public DomainSource {
 public:
  // InputError for a strategy that there is not, more ranks than kMostDomains, and a number of vertices out of range.
  DistributedEdges(std::shared_ptr<Communicator> communicator, DistributedOptions options);
  ~DistributedEdges() override;

  // More edges of this rank. Shares the arrays, which stay as they are until finish() has ended. Pieces may have
  // weights of different types: the edges get the type that holds all of them.
  void add(EdgeList piece);
  // Together: who owns what, and every edge to the owner of its target. InputError where ids are out of range, owners
  // are not one per vertex or no ranks, or some edges have weights and others have none.
  void finish(Workers& workers);

  // After finish().
  int rank() const;
  int size() const override;
  const Ownership& ownership() const;
  VertexId num_own() const;
  std::vector<VertexId> own_ids() const;  // ascending
  // Sizes, offsets and type of weights of the whole graph. What needs the edges themselves throws InputError.
  const Graph& skeleton() const;
  // `rank` is this one. What is made is kept. Vertices have the same owners in all views.
  std::shared_ptr<const Domain> domain(View view, abi::Scalar transitions, int rank, Workers& workers) const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gaspipe
