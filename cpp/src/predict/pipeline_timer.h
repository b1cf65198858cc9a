// SPDX-License-Identifier: Apache-2.0
// Times super-steps of a design with two kinds of pipelines, from estimates of its pipelines (line_estimate.h), the
// bytes of every pseudo-channel, and the order in which apply gets its partitions. Every super-step streams every edge,
// so one is as long as the next.
#pragma once

#include <string>

#include "gaspipe/csr.h"
#include "gaspipe/edge_slices.h"
#include "gaspipe/prediction.h"
#include "pipeline_plan.h"
#include "timed_kernels.h"

namespace gaspipe {
namespace predict {

struct PipelineQuestion {
  const char* config;
  const PipelineShape& shape;
  const Board& board;
  double clock_mhz;
  const Csr& csr;
  TimedNumbers numbers;
  int weight_bytes = 0;     // 0: not read
  bool skips_idle = false;  // steps may tell which vertices send
};

// Of an edge and its weight, in the channel of edges and in that of properties.
struct EdgeBytes {
  std::uint64_t with_edges, with_properties;
};

// As the estimates of a question's design need it.
PlanOptions plan_options(const PipelineQuestion& question);

// What pipelines hold: in one pseudo-channel edges and some of the weights, in the other properties (new ones replace
// the old, but in published designs), the other weights, and what they gather.
struct PipelineBytes {
  std::vector<std::uint64_t> edges, others;  // of every pipeline: of the first channel, and besides properties
  EdgeCount num_edges = 0;                   // of all
  std::uint64_t num_vertices = 0, property_bytes = 4, property_copies = 1;
};
// CapacityError where that exceeds a pseudo-channel of the board.
void check_channels(const char* config, const Board& board, const PipelineBytes& bytes);

class PipelineTimer {
 public:
  // Plans. CapacityError where a pipeline's edges, or the properties, exceed a pseudo-channel.
  PipelineTimer(const PipelineQuestion& question, Workers& workers);

  const PipelinePlan& plan() const { return plan_; }
  // Fills what holds for the run, and adds a super-step.
  void describe(Prediction& prediction) const;
  void add_step(Prediction& prediction, bool has_begun) const;
  // One in which the vertices send whose bits are set, by the graph's ids: edges along which none does are passed over,
  // unless it had begun before that was known.
  void add_step(Prediction& prediction, const std::vector<std::uint64_t>& senders, bool has_begun);

 private:
  void find_slices(const Csr& csr, Workers& workers);
  void time_step(const ActiveSources* active);
  PipelineBytes bytes(EdgeCount num_edges) const;
  double seconds_of(double cycles) const { return cycles / (clock_mhz_ * 1e6); }

  const PipelineShape shape_;
  const Board& board_;
  PlanOptions options_;
  double clock_mhz_;
  std::uint64_t num_vertices_, word_bytes_;
  EdgeBytes edge_bytes_;
  PipelinePlan plan_;
  std::vector<EdgeSlices> slices_;  // of each of the plan's slices, where edges may be passed over
  VertexId num_own_;
  StepPrediction step_;
  std::vector<UnitUse> units_;  // of a step; apply last
  std::vector<ChannelUse> channels_;
  std::vector<TaskUse> tasks_;
};

}  // namespace predict
}  // namespace gaspipe
