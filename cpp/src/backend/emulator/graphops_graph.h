// SPDX-License-Identifier: Apache-2.0
// A graph as GraphOps' accelerators have it in memory: rows, weights, and properties along the edges, which the host
// keeps up to date: rep[e] = prop[target of e].
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/device_graph.h"
#include "gaspipe/graph.h"
#include "gaspipe/workers.h"
#include "hls/word.h"

namespace gaspipe {

using Lines = std::vector<Word<std::uint64_t>>;  // memory, in words of 64 bytes

// Lines of `num_values` values of so many bytes; one at least, for a port leads somewhere.
inline Lines lines_of(std::uint64_t num_values, std::int32_t value_bytes) {
  return Lines(std::max<std::uint64_t>(1, (num_values * static_cast<std::uint64_t>(value_bytes) + 63) / 64));
}

class GraphopsGraph {
 public:
  // `edge_type` kNone: no weights, unless the kernel `needs_weights`: then all are 1, of that type.
  GraphopsGraph(const Graph& graph, View view, abi::Scalar stored_weights, abi::Scalar needed_weights, int value_bytes,
                Workers& workers);

  const DeviceRows& rows() const { return *rows_; }
  // What the rows are made from: the same for all of one view of a graph.
  std::shared_ptr<const void> key() const { return csr_; }
  Lines& offsets() { return offsets_; }
  Lines& targets() { return targets_; }
  Lines& weights() { return weights_; }
  Lines& replicas() { return replicas_; }

  // Copies properties along all edges, or along those that lead to certain vertices, on all workers.
  void refresh(const void* properties, Workers& workers);
  void refresh(const void* properties, const std::vector<VertexId>& vertices, Workers& workers);
  // The edges that lead to a vertex, and how many; valid as long as this.
  std::pair<const EdgeCount*, EdgeCount> edges_into(VertexId v, Workers& workers);

 private:
  void list_edges_into(Workers& workers);

  std::shared_ptr<const Csr> csr_;
  std::shared_ptr<const DeviceRows> rows_;
  int value_bytes_;
  Lines offsets_, targets_, weights_, replicas_;
  std::vector<EdgeCount> first_into_, edges_into_;  // the edges that lead to a vertex; made when first needed
};

}  // namespace gaspipe
