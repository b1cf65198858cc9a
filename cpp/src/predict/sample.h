// SPDX-License-Identifier: Apache-2.0
// Which sub-partitions of a super-step are timed, and what the others take by that.
#pragma once

#include <vector>

#include "hls/types.h"

namespace gaspipe {
namespace predict {

// A sub-partition: what it costs about, and what it took in this super-step.
struct SubPartitionTime {
  double all_cost = 0, flush_cost = 0;     // cycles, by the configuration's SubPartitionCost: of all edges; without any
  double cost = 0;                         // of those that are streamed
  EdgeCount edges = 0;                     // streamed
  bool is_timed = false, is_idle = false;  // idle: not launched
  double cycles = 0;
  std::vector<double> bytes;  // per channel of a unit
};

// Marks the sub-partitions to time, of those that are not idle: all, or as many as make up `num_edges` (0: all), at
// even distances in the order of their cost; at least two.
void choose_sample(std::vector<SubPartitionTime>& sub_partitions, EdgeCount num_edges);

// One that was neither timed nor idle takes as many times its cost as the timed ones took together.
void scale_others(std::vector<SubPartitionTime>& sub_partitions);

}  // namespace predict
}  // namespace gaspipe
