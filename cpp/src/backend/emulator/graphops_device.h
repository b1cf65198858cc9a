// SPDX-License-Identifier: Apache-2.0
// An accelerator of GraphOps' blocks as a device that a program's host side drives. A super-step is one run of the
// kernel graphops_<program>, and what GraphOps leaves to the host: apply, and properties along the edges.
//
//   gathers (PageRank, SpMV)    the kernel sums what vertices receive; the host applies it and refreshes all replicas
//   searches (BFS, SSSP)        the kernel follows the edges of a set of vertices and writes those that it improved,
//                               which are the next set; the host refreshes their replicas
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "cpp/src/backend/emulator/graphops_graph.h"
#include "cpp/src/backend/kernel_table.h"
#include "cpp/src/predict/timed_kernels.h"
#include "gaspipe/abi.h"
#include "gaspipe/stats.h"

namespace gaspipe {

class GraphopsDevice {
 public:
  // All outlive this.
  GraphopsDevice(const abi::Instance& instance, const std::string& kernel, GraphopsGraph& graph, VertexId num_vertices,
                 abi::Execution execution, const predict::Surroundings& around, Workers& workers);

  abi::Device table();
  const std::exception_ptr& failure() const { return failure_; }
  const BlockStats& stats() const { return stats_; }
  const Prediction& prediction() const { return prediction_; }

 private:
  template <class F>
  std::int32_t guarded(const F& f);
  void begin(const void* properties, std::uint64_t num_bytes);
  void superstep(const void* arg, void* sums, abi::Superstep* stats);
  void gather_and_apply(const void* arg, void* sums, abi::Superstep* stats);
  void apply(const void* arg, void* sums);
  void search(void* sums, abi::Superstep* stats);
  // Runs the kernel; returns its last words.
  const std::uint64_t* run(const std::vector<std::uint32_t>& scalars);
  abi::Buffer buffer(const std::string& port);
  abi::Emulation emulation();
  void count(EdgeCount edges);
  void list_active(const std::uint64_t* groups, std::uint64_t num_groups);
  std::uint64_t property_word(const Lines& lines, VertexId v) const;

  const abi::Instance& instance_;
  std::string name_;
  const KernelTable& table_;
  GraphopsGraph& graph_;
  VertexId num_vertices_;
  abi::Execution execution_;
  const predict::Surroundings& around_;
  Workers& workers_;
  Lines properties_, updated_, gathered_, ends_, set_, next_set_;
  std::vector<Lines> aux_;
  std::uint64_t num_groups_ = 0;
  VertexId root_ = kNoVertex;
  std::vector<VertexId> active_;  // of a search
  predict::KernelTiming timing_;
  std::string report_;
  BlockStats stats_;
  Prediction prediction_;
  std::exception_ptr failure_;
};

// Of hls/kernel/graphops_<name>.ports.h: for each of a kernel's last words the port whose beats it counts, or "".
std::vector<std::string> graphops_ends(const std::string& kernel);

}  // namespace gaspipe
