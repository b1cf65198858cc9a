// SPDX-License-Identifier: Apache-2.0
// Which pipeline of a design with two kinds takes which edges. Vertices are numbered by falling in-degree, so that few
// partitions have most of the edges. The first partitions are dense: as many as make both kinds of pipelines equally
// busy; of the others several together are one sparse partition. Partitions are cut where estimated cycles are equal.
#pragma once

#include <functional>
#include <vector>

#include "gaspipe/csr.h"
#include "gaspipe/workers.h"
#include "line_estimate.h"
#include "pipeline_shape.h"

namespace gaspipe {
namespace predict {

// Destinations and edges by the new numbers. `cycles` are estimated, without the flush.
struct PlannedPartition {
  bool is_dense;
  VertexId first, last;
  EdgeCount num_edges;
  double cycles;
};
// Edges [first, last) of a partition, counted in it by ascending source.
struct PlannedSlice {
  std::size_t partition;
  int pipeline;
  EdgeCount first_edge, last_edge;
  double cycles;
  std::uint64_t lines;  // of sources' properties
};
struct PipelinePlan {
  std::vector<VertexId> vertices;            // by new number
  std::vector<VertexId> numbers;             // by vertex: the map back
  std::vector<PlannedPartition> partitions;  // dense ones first; of those with edges
  std::vector<PlannedSlice> slices;          // of each pipeline in the order of its work
  std::size_t num_dense = 0;                 // partitions
};

struct PlanOptions {
  std::uint32_t vertices_per_line = 16;
  WordRates word;                 // of 16 edges
  VertexId shrink = 1;            // capacities are divided by it: 2 where properties have 64 bits
  int num_dense_partitions = -1;  // at least 0: so many, instead of those that balance
};

// O(E) a few times over, and for every partition a bit per 16 vertices.
PipelinePlan plan_pipelines(const Csr& csr, const PipelineShape& shape, const PlanOptions& options, Workers& workers);

// When apply has done all vertices: those without in-edges first, then the partitions, each from when it is `ready` on,
// in that order. `time_of`: for so many vertices.
double apply_end(const std::vector<PlannedPartition>& partitions, const std::vector<double>& ready,
                 std::uint64_t num_vertices, const std::function<double(std::uint64_t)>& time_of);

// Cycles of a flush.
double flush_cycles(const PipelineShape& shape, const PlanOptions& options, const PlannedPartition& partition);

}  // namespace predict
}  // namespace gaspipe
