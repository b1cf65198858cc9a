// SPDX-License-Identifier: Apache-2.0
// A graph to ask questions of: rows and columns for all vertices, and what has been derived from them so far (other
// views, partitions, facts about the weights). The only thing that caches; safe to use from several threads.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "gaspipe/csr.h"
#include "gaspipe/device_edges.h"
#include "gaspipe/partition.h"
#include "gaspipe/stored_edges.h"

namespace gaspipe {

struct PreparedGraph;

struct WeightFacts {
  bool negative_or_nan = false;
  EdgeCount first_bad = 0;  // the first such edge
};

class Graph {
 public:
  // InputError unless `csr` is square and has a vertex. Its arrays must be valid (see validate).
  explicit Graph(Csr csr);
  // A matrix whose edges stay in a file, for runs that stream them. `skeleton` has offsets, and targets and weights of
  // the right number without memory. What needs the edges themselves throws InputError.
  Graph(Csr skeleton, VertexId num_rows, VertexId num_columns, std::shared_ptr<const StoredEdges> stored);
  // The local graph of a domain (gaspipe/domain.h): rows of its own vertices, then of its ghosts; columns of its own
  // vertices only. It may have no vertex. Only its forward view is walked; the reverse has rows for all vertices too,
  // those of ghosts empty. `is_symmetric`: of the whole graph; in-edges then count as at hand.
  static Graph of_domain(Csr csr, bool is_symmetric);
  // A graph whose edges are with `num_ranks` processes (gaspipe/distributed.h). `skeleton` and what needs the edges are
  // as for one whose edges stay in a file.
  static Graph of_ranks(Csr skeleton, int num_ranks);

  // The graph as a matrix of another shape: its longer side is the number of vertices (1 for a matrix of 0 x 0), and
  // what lies beyond its sides has no edges (InputError where it has). Shares everything with this graph.
  Graph as_matrix(std::uint64_t num_rows, std::uint64_t num_columns, Workers& workers) const;
  Graph transpose(Workers& workers) const;

  VertexId num_vertices() const { return forward_->num_rows; }
  VertexId num_rows() const { return num_rows_; }
  VertexId num_columns() const { return num_columns_; }
  EdgeCount num_edges() const { return forward_->num_edges(); }
  bool is_weighted() const { return forward_->is_weighted(); }
  const std::shared_ptr<const Csr>& csr() const;
  // Of graphs in memory too: the size, the offsets, and of which type the weights are.
  const Csr& skeleton() const { return *forward_; }
  const std::shared_ptr<const StoredEdges>& stored() const { return stored_; }  // null: they are in memory

  // The edges a program walks: stored, reversed, or in both directions without repetition.
  std::shared_ptr<const Csr> view(View view, Workers& workers) const;
  std::shared_ptr<const Partitioning> partition(View view, const PartitionConfig& config, abi::Scalar edge_type,
                                                Workers& workers) const;
  // The same as a device's memory holds it; `is_balanced`: vertices in a LineOrder.
  std::shared_ptr<const DeviceEdges> device_edges(View view, const PartitionConfig& config, abi::Scalar edge_type,
                                                  EdgeLayout layout, Workers& workers, bool is_balanced = false) const;
  // Weights of a view's edges as `type`; InputError where one does not fit. Shared with the view where it can be.
  Array<std::uint8_t> weights_as(View view, abi::Scalar type, Workers& workers) const;
  WeightFacts weight_facts(Workers& workers) const;
  double largest_weight(Workers& workers) const;  // of the finite ones, if above 0; 1 without weights
  // What a random surfer walks: the edges that weigh anything, with the probability of following them from their source
  // (without weights all weigh 1); for kUint32 as fractions of 2^31. InputError unless weights are finite and >= 0.
  Graph transitions(abi::Scalar type, Workers& workers) const;
  // Whether every edge i -> j has its j -> i, just as often; weights aside. By a fingerprint of 64 bits with random
  // keys: what is not so passes once in 2^58 times. Never of a domain.
  bool is_symmetric(Workers& workers) const;
  // The same as far as it is known: it takes a look at all edges, and for one run that may be more than it saves. Found
  // out when this has been asked before.
  bool is_known_symmetric(Workers& workers) const;
  // The edges into a view's vertices. Unless they are needed, only where they are at hand: null where they would have
  // to be made, until this has been asked before. One transposition takes as long as a few runs without it.
  std::shared_ptr<const Csr> in_edges(View view, bool with_weights, bool are_needed, Workers& workers) const;

  // The graph relabeled for speed (gaspipe/prepared.h): made when first asked for, and used by all runs that gain by
  // it. Null where relabeling does not pay. InputError for a matrix that is not square.
  std::shared_ptr<const PreparedGraph> prepare(Workers& workers) const;
  void keep_prepared(PreparedGraph prepared) const;       // one from a file
  std::shared_ptr<const PreparedGraph> prepared() const;  // null: there is none
  // What such a run walks; null: the graph as it is. `in_any_order`: whether its answer is the same bits in any order
  // of vertices and edges. For these the relabeled form is also made once runs have taken as long as it is worth
  // (cpp/src/graph/prepare_often.h), with `at_once` for the first of them, unless `prepares_itself(false)` was called.
  std::shared_ptr<const PreparedGraph> prepared_for(bool in_any_order, bool at_once, Workers& workers) const;
  void count_run(double seconds) const;  // that would have been faster with it
  void prepares_itself(bool does) const;
  // Drops what can be derived again.
  void clear_cache() const;

 private:
  struct Cache;
  Graph() = default;
  PreparedGraph make_prepared(Workers& workers) const;

  std::shared_ptr<const Csr> forward_;       // square, but of a domain
  VertexId num_rows_ = 0, num_columns_ = 0;  // as a matrix
  std::shared_ptr<Cache> cache_;
  std::shared_ptr<const StoredEdges> stored_;
  bool is_domain_ = false;
  int num_ranks_ = 0;  // that have the edges; 0: they are here
};

// Weights converted to another element type; InputError names the first edge whose weight does not fit.
Array<std::uint8_t> convert_weights(const Csr& csr, abi::Scalar type, Workers& workers);

}  // namespace gaspipe
