// SPDX-License-Identifier: Apache-2.0
// What a device's memory holds of a graph, in 64-byte words: edges in destination ranges (device_edges.h), rows,
// replicas of properties along the edges, and sets of vertices. Each is made when it is first asked for, and kept. A
// kernel's port says by its Bank (hls/kernel/port.h) which of them it reads.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "gaspipe/device_edges.h"
#include "gaspipe/graph.h"
#include "hls/word.h"

namespace gaspipe {

// The edges of vertex v are targets[offsets[v]] to targets[offsets[v + 1]], the latter excluded. In the last words the
// offsets are the number of edges and the targets kNoVertex.
struct DeviceRows {
  VertexId num_vertices = 0;
  EdgeCount num_edges = 0;
  Array<Word<std::uint64_t>> offsets;
  Array<Word<VertexId>> targets;

  static DeviceRows make(const Csr& csr, Workers& workers);
};

// For every edge, in the order of the rows, the property of its target: element e is properties[targets[e]], so that a
// kernel streams it. Properties have 4 or 8 bytes.
class DeviceReplica {
 public:
  DeviceReplica(std::shared_ptr<const DeviceRows> rows, int value_bytes);

  // Copies the properties of all vertices along the edges, on all workers.
  void refresh(const void* properties, Workers& workers);
  const Word<std::uint64_t>* data() const { return words_.data(); }
  std::size_t num_words() const { return words_.size(); }

 private:
  std::shared_ptr<const DeviceRows> rows_;
  int value_bytes_;
  Writable<Word<std::uint64_t>> words_;
};

// Vertices in any order; the last word is filled up with kNoVertex.
struct DeviceSet {
  std::uint64_t num_vertices = 0;
  Array<Word<VertexId>> vertices;

  static DeviceSet make(const Array<VertexId>& vertices);
  // Whether it is of these vertices, in this order.
  bool holds(const Array<VertexId>& others) const;
};

// May be asked from several threads.
class DeviceGraph {
 public:
  explicit DeviceGraph(Graph graph) : graph_(std::move(graph)) {}

  std::shared_ptr<const DeviceEdges> edges(View view, const PartitionConfig& config, abi::Scalar edge_type,
                                           EdgeLayout layout, Workers& workers) const {
    return graph_.device_edges(view, config, edge_type, layout, workers);
  }
  std::shared_ptr<const DeviceRows> rows(View view, Workers& workers);
  std::shared_ptr<DeviceReplica> replica(View view, int value_bytes, Workers& workers);
  // A set by its number, which its owner chooses: the one made before if that holds the same vertices.
  std::shared_ptr<const DeviceSet> set(int number, const Array<VertexId>& vertices);

 private:
  Graph graph_;
  std::mutex guard_;
  std::map<View, std::shared_ptr<const DeviceRows>> rows_;
  std::map<std::pair<View, int>, std::shared_ptr<DeviceReplica>> replicas_;
  std::map<int, std::shared_ptr<const DeviceSet>> sets_;
};

}  // namespace gaspipe
