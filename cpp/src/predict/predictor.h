// SPDX-License-Identifier: Apache-2.0
// Predicts a run: every super-step's kernels are timed, or as many as are asked for, and what lies between them is
// added.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "gaspipe/abi.h"
#include "gaspipe/device_edges.h"
#include "gaspipe/prediction.h"
#include "gaspipe/schedule.h"
#include "gaspipe/workers.h"
#include "pipeline_timer.h"
#include "resources.h"
#include "sample.h"
#include "senders.h"
#include "step_schedule.h"
#include "timed_kernels.h"

namespace gaspipe {
namespace predict {

// What is predicted, and for which run. All of it outlives the predictor.
struct Subject {
  const KernelConfig& config;
  const Board& board;
  double clock_mhz;
  const PredictionOptions& options;
  const abi::Instance& instance;
  const DeviceEdges& edges;
  const Schedule& schedule;
  Workers& workers;
  bool weighted;
  bool skips_idle;                           // where the configuration does
  bool is_timed_here;                        // by time_step
  TimedKernels kernels;                      // for that; else null
  const PipelineShape* pipelines = nullptr;  // the configuration's as they fit the board; null: kernels are timed
};

// The kernels that time a run of the instance: compiled now where they were never needed before and not built in.
TimedKernels kernels_for(const KernelConfig& config, const abi::Instance& instance, bool weighted);
// What a program's cycles depend on.
TimedNumbers numbers_of(const abi::Instance& instance);

// Channels and clock of a board, as kernels see them. `options` outlives what is returned.
Surroundings surroundings_of(const Board& board, double clock_mhz, const PredictionOptions& options);

class Predictor {
 public:
  explicit Predictor(const Subject& subject);

  // Properties were written from outside.
  void restart() { senders_.restart(); }
  // Of the kernels; a published design's host has none.
  Haste haste() const;
  // What the super-step launches, before all that follows. It outlives the step. `has_begun`: the first of that was
  // started when the step before had ended, beside the host's time between them; a published design's host waits.
  void plan(const StepLaunches& launches, bool has_begun);
  // A super-step, its kernels timed here. `properties` are those before it.
  void time_step(const void* properties);
  // Or timed elsewhere: each sub-partition's kernel, each partition's apply, then the step.
  void take(std::size_t partition, std::size_t sub_partition, KernelTiming timing);
  void take_apply(std::size_t partition, KernelTiming timing);
  void finish_step();

  // Channels and clock as every kernel of the run sees them.
  const Surroundings& surroundings() const { return around_; }
  Prediction prediction() const { return prediction_; }

 private:
  std::size_t index(std::size_t partition, std::size_t sub_partition) const {
    return partition * num_units_ + sub_partition;
  }
  VertexId flushed(std::size_t partition) const;
  void describe_sub_partitions();
  std::uint64_t mask(std::size_t partition, std::size_t sub_partition, const void* properties,
                     Word<VertexId>* masked) const;
  const EdgeWindow& window(std::size_t partition, std::size_t sub_partition) const {
    return launches_->windows[partition * num_units_ + subject_.schedule.units[partition][sub_partition]];
  }
  GatherLaunch launch(std::size_t partition, std::size_t sub_partition) const {
    return launches_->gathers[partition * num_units_ + subject_.schedule.units[partition][sub_partition]];
  }
  void time_group(std::size_t group, std::size_t unit, const void* properties, int worker);
  const KernelTiming& apply_timing(std::size_t partition);
  // `counted`: what such a kernel was seen to have. One that passes edges over has streams without tokens, which are
  // not counted until there are some.
  void count_resources(const KernelTiming& timing, int copies, Blocks& counted);
  double seconds_of(double cycles) const { return cycles / (clock_mhz_ * 1e6); }

  Subject subject_;
  double clock_mhz_;
  std::size_t num_partitions_, num_units_, num_channels_, group_size_;
  TimedNumbers numbers_;
  Surroundings around_;
  const StepLaunches* launches_ = nullptr;  // of this super-step
  std::vector<SubPartitionTime> sub_partitions_;
  NewSenders senders_;
  std::vector<std::vector<std::size_t>> sub_partition_of_unit_;  // [partition][unit]
  std::map<VertexId, KernelTiming> applies_;                     // by the range's width
  std::vector<std::optional<KernelTiming>> own_applies_;         // handed in, by partition
  std::vector<std::optional<KernelTiming>> timings_;             // of this step's kernels, for their statistics
  Prediction prediction_;
  Blocks gather_blocks_, apply_blocks_;
  bool was_alike_ = false, has_begun_ = false;
  std::unique_ptr<PipelineTimer> pipelines_;  // of a design that is estimated as a whole
  bool pipelines_skip_ = false;
};

}  // namespace predict
}  // namespace gaspipe
