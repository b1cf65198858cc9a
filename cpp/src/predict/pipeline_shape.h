// SPDX-License-Identifier: Apache-2.0
// Designs with two kinds of pipelines, for boards with HBM. Dense pipelines take partitions that nearly every vertex
// sends to: each lane has a copy of the destinations, so there is no shuffle. Sparse pipelines take several of the
// other partitions at once: updates are shuffled to the PE of their destination. Of ours both kinds read those lines of
// properties that have a source in them. A pipeline has a pseudo-channel for its edges and one for properties. How many
// there are depends on the board (pipeline_fit.h).
#pragma once

#include <cstdint>
#include <vector>

#include "gaspipe/fabric.h"
#include "hls/module/latency.h"
#include "hls/types.h"

namespace gaspipe {
namespace predict {

// How cycles are estimated over edges sorted by source (line_estimate.h).
enum class Estimator { kLittle, kBig, kDense, kSparse };

constexpr int kChannelsPerPipeline = 2;  // pseudo-channels: edges, properties

struct PipelineKind {
  int num_pipelines;
  VertexId capacity;      // destinations at a time, of 32 bits
  int copies;             // of the destinations
  int flushed_per_cycle;  // destinations
  Estimator estimator;
  int fifo_bram;       // blocks of 36 kbit for what waits between its tasks; 0: counted from the kernel
  const char* kernel;  // of hls/kernel; null: there is none
  int luts = 0;        // of a pipeline; 0: not estimated
};

struct PipelineShape {
  PipelineKind dense, sparse;  // sparse.capacity is a multiple of dense.capacity
  int edges_per_cycle;
  int edge_bytes;          // without a weight
  bool is_cut_everywhere;  // every partition goes to all pipelines of its kind, which flush together, all there is
                           // room for; else to as few as keep them equally busy, and what is in use is flushed
  bool may_be_smaller;     // has fewer pipelines where the board lacks room for all
  bool has_weights, has_wide_properties;  // of 64 bits
  int apply_channels;                     // to itself
  Fabric apply = {};                      // that apply takes, where it is a kernel of ours
  // What no synthesis has confirmed, of ours: cycles of a read of URAM, cycles between two words of edges.
  int uram_latency = kMemoryRead, decoder_interval = 1;
};

inline const PipelineKind& kind_of(const PipelineShape& shape, bool is_dense) {
  return is_dense ? shape.dense : shape.sparse;
}

// X. Chen et al., "ReGraph", MICRO 2022, doi:10.1109/MICRO56248.2022.00092: 11 "Little" and 3 "Big" pipelines.
extern const PipelineShape kReGraph;
// Ours, as large as it gets.
extern const PipelineShape kHbm;

}  // namespace predict
}  // namespace gaspipe
