// SPDX-License-Identifier: Apache-2.0
// Where a program runs: one folder per executor, whose executor.cpp ends in its record (gaspipe/executors.h). run.cpp
// chooses the number format, makes the view and repeats a run whose numbers were too narrow; an executor brings the
// edges into its place's form and takes an attempt's steps.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cpp/src/backend/idle_edges.h"
#include "cpp/src/backend/kernel_ports.h"
#include "gaspipe/device_edges.h"
#include "gaspipe/edge_slices.h"
#include "gaspipe/executors.h"
#include "gaspipe/graph.h"
#include "gaspipe/kernel_runs.h"
#include "gaspipe/run_options.h"
#include "gaspipe/stats.h"
#include "gaspipe/workers.h"

namespace gaspipe {

// What an attempt is about, whatever runs it. All it points to outlives the attempt.
struct Attempt {
  const abi::Host& host;
  const abi::Csr& csr;
  const abi::Argument* arguments;
  std::int32_t method;
  std::int32_t scale_bits;
  void* values;
  const abi::Domain* domain;          // null: the whole graph
  const abi::Snapshot* resume;        // null: from the beginning
  const abi::Relabeling* relabeling;  // where the graph that is walked has other ids than the program
  bool in_series;                     // a step of the executor may be several super-steps
};

inline abi::DeviceRun run_on(const Attempt& attempt, const abi::Device& device) {
  return {&attempt.host,  &attempt.csr,   attempt.arguments, attempt.scale_bits, &device,
          attempt.values, attempt.domain, attempt.resume,    attempt.relabeling};
}

// Owns an abi::Session.
class OpenSession {
 public:
  OpenSession() = default;
  OpenSession(OpenSession&& other) noexcept : table_(std::exchange(other.table_, abi::Session{})) {}
  OpenSession& operator=(OpenSession&& other) noexcept {
    std::swap(table_, other.table_);
    return *this;
  }
  ~OpenSession() {
    if (table_.close != nullptr) table_.close(table_.self);
  }
  abi::Session* table() { return &table_; }
  const abi::Session* operator->() const { return &table_; }

 private:
  abi::Session table_{};
};

class Executor {
 public:
  virtual ~Executor() = default;
  // Begins an attempt, in place of any other. Here and in step, what stopped the place is thrown; an ordinary end is a
  // status.
  virtual abi::Status open(const Attempt& attempt, abi::Outcome* outcome) = 0;
  virtual abi::Status step(abi::Outcome* outcome) = 0;
  // As of the last super-step: every vertex's, in whole 64-byte words.
  virtual void read_properties(void* data) = 0;
  // Of abi::Session, which all executors have.
  virtual void snapshot(abi::Snapshot* snapshot) = 0;
  // Adds what is particular to this executor.
  virtual void describe(Stats& stats) const = 0;
  // Time in open and step that went into forms of the graph: it counts as preparation.
  virtual double preparing_seconds() const { return 0; }

  virtual const Partitioning& partitioning() const = 0;
  // Of places with kernels; null and empty elsewhere.
  virtual const KernelPorts* kernel_ports() const { return nullptr; }
  virtual std::vector<KernelDescription> kernels() const { return {}; }
  virtual std::vector<KernelTime> kernel_times() const { return {}; }  // of the last super-step
};

// A view of a graph, for a program in one number format, under the partitions that the options or the place ask for.
struct Placement {
  const abi::Instance& instance;
  const Graph& graph;
  View view;
  abi::Scalar edge_type;  // kNone where there are no weights
  bool rows;              // whether the run walks the view's rows
  const RunOptions& options;
  std::string algorithm;               // the program's name
  Array<VertexId> first_targets = {};  // of a prepared graph
};

// Whether its answer is the same bits in any order of vertices and edges.
inline bool is_same_in_any_order(const abi::Instance& instance) {
  const auto is_floating = [](std::int32_t type) { return type == abi::kFloat32 || type == abi::kFloat64; };
  return instance.idempotent != 0 || !(is_floating(instance.property_type) || is_floating(instance.number_type) ||
                                       (instance.num_extras > 0 && is_floating(instance.sum_type)));
}

// How a device cuts a graph of `num_vertices` unless it is told. Where kernels pass over the edges before and behind
// those of active sources, units share any range of sources, and the graph may be walked in its relabeled form, where
// what is idle lies together: hubs are reached early, the others late. With many partitions that loses, for most of
// them are then without hubs, and have an edge of a line of properties here and there: BFS on R19 (U250, predicted)
// takes 0.74, 0.85, 0.97, 1.03 and 1.07 of the time with 1, 3, 4, 5 and 6 partitions. So it does where kernels begin
// with the first edge.
constexpr const char* kShared = "interleaved";
inline PartitionConfig partition_for(const abi::Instance& instance, Skips skips, std::uint32_t num_units,
                                     std::uint32_t capacity, VertexId num_vertices) {
  constexpr std::uint64_t kMostPartitions = 3;
  PartitionConfig config{capacity, num_units};
  const bool gains = skips == Skips::kBothEnds && may_be_idle(instance) && kMostPartitions * capacity >= num_vertices;
  if (gains) config.partitioner = kShared;
  return config;
}
inline Relabels relabels_with(const PartitionConfig& config, const abi::Instance& instance, const RunOptions& options) {
  const bool does = config.partitioner == kShared && is_same_in_any_order(instance) && !options.own_scheduler;
  return does ? Relabels::kFromTheFirst : Relabels::kNever;
}

// As the options say.
Schedule schedule_for(const RunOptions& options, const Partitioning& partitioning);

// What a kernel is started with for a partition. InputError where there are no ports: kernels take all at once.
std::vector<KernelArgument> kernel_arguments(const KernelPorts* ports, const LaunchId& launch);

constexpr std::uint32_t kDeviceCapacity = 1 << 18;  // fits the chip of every board, for words of 64 bits too
// Throws unless kernels with room for `most` vertices can take such partitions; `who` has the kernels.
void check_capacity(const PartitionConfig& config, const Csr& csr, std::uint32_t most, const std::string& who);

}  // namespace gaspipe
