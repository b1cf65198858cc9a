// SPDX-License-Identifier: Apache-2.0
// By the estimated time of a sub-partition, of second order in its edges E and the range Vs that its sources span:
//
//   T = 3.096e5 + 0.6971 E + 0.2648 Vs - 1.076e-8 E Vs + 4.187e-8 Vs^2   [ns]
//
// The longest of a partition's sub-partitions goes to the compute unit with the least so far. Partitions with more
// edges come first. The coefficients are those measured for the published pipeline on VCU1525 (X. Chen et al.,
// "ThunderGP", FPGA 2021, doi:10.1145/3431920.3439290; libgraph/scheduler/secondOrderEstimator of its repository). The
// constant, the cost of a launch there, is the same for all and decides nothing.
#include "assign.h"
#include "gaspipe/schedule.h"

namespace gaspipe {
namespace scheduler {

namespace {

double estimated_nanoseconds(const SubPartition& sub_partition) {
  const double edges = static_cast<double>(sub_partition.num_edges());
  const double span = static_cast<double>(sub_partition.last_source() - sub_partition.first_source());
  return 3.096e5 + 0.6971 * edges + 0.2648 * span - 1.076e-8 * edges * span + 4.187e-8 * span * span;
}

}  // namespace

Scheduler longest_first() {
  const auto sums = std::make_shared<std::vector<double>>();  // per unit
  return {[sums](const Partitioning& partitions) { sums->assign(partitions.config().compute_units, 0); },
          [sums](const Partition& partition) {
            std::vector<double> costs;
            for (std::size_t i = 0; i < partition.size(); ++i) {
              costs.push_back(estimated_nanoseconds(partition.get_sub_partition(static_cast<std::int64_t>(i))));
            }
            return longest_to_least(costs, *sums);
          },
          [](const Partitioning& partitions) {
            std::vector<EdgeCount> edges;
            for (std::size_t p = 0; p < partitions.size(); ++p) {
              edges.push_back(partitions.table().partitions[p].num_edges);
            }
            return largest_first(edges);
          }};
}

}  // namespace scheduler
}  // namespace gaspipe
