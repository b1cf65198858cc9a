// SPDX-License-Identifier: Apache-2.0
// An accelerator of GraphOps' blocks as a device that a program's host side drives. A super-step is one run of the
// kernel graphops_<program>, and what GraphOps leaves to the host: apply, and properties along the edges.
//
//   gathers (PageRank, SpMV)    the kernel sums what vertices receive; the host applies it and refreshes all replicas
//   searches (BFS, SSSP)        the kernel follows the edges of a set of vertices and writes those that it improved,
//                               which are the next set; the host refreshes their replicas
#pragma once

#include <string>
#include <vector>

#include "cpp/src/backend/emulator/graphops_graph.h"
#include "cpp/src/backend/emulator/graphops_kernel.h"
#include "cpp/src/backend/host_device.h"
#include "gaspipe/abi.h"

namespace gaspipe {

class GraphopsDevice : public HostDevice {
 public:
  // All outlive this.
  GraphopsDevice(const abi::Instance& instance, GraphopsKernel& kernel, GraphopsGraph& graph, VertexId num_vertices,
                 Workers& workers);

 private:
  void write_properties(const void* data, std::uint64_t num_bytes) override;
  void write_aux(std::size_t k, const void* data, std::uint64_t num_bytes) override;
  void superstep(const void* arg, void* sums, abi::Superstep* stats) override;
  void read_properties(void* data, std::uint64_t num_bytes) override;
  void gather_and_apply(const void* arg, void* sums, abi::Superstep* stats);
  void apply(const void* arg, void* sums);
  void search(void* sums, abi::Superstep* stats);
  // Runs the kernel over sets of so many edges; returns its last words.
  const std::uint64_t* run(const std::vector<std::uint32_t>& scalars, EdgeCount num_edges);
  abi::Buffer buffer(const std::string& port);
  void list_active(const std::uint64_t* groups, std::uint64_t num_groups);
  void write_set();
  std::uint64_t property_word(const Lines& lines, VertexId v) const;

  const abi::Instance& instance_;
  GraphopsKernel& kernel_;
  GraphopsGraph& graph_;
  VertexId num_vertices_;
  Workers& workers_;
  Lines properties_, updated_, gathered_, set_, next_set_;
  std::vector<Lines> aux_;
  std::uint64_t num_groups_ = 0;
  VertexId root_ = kNoVertex;
  std::vector<VertexId> active_;  // of a search
};

}  // namespace gaspipe
