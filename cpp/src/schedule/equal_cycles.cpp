// SPDX-License-Identifier: Apache-2.0
// Keeps the estimated cycles of the compute units, over all partitions, as equal as it can, and runs the partitions of
// most cycles first, so that little is left to wait for at the end.
//
// Cycles of a sub-partition in our own pipeline (hls/kernel/gather_scatter.h): the PEs clear the range of destinations,
// eight vertices a cycle, while the first edges are read, and send it likewise after the last. A bank delivers a word
// of 64 bytes a cycle; an edge word is two (or one and eight edges a cycle, which is the same). A line of properties is
// one more, and one for the wait: the lines come in bursts of 64, each as late as it is long.
//
//   max(vertices / 8, 2 (words of edges) + 2 (lines of properties that have a source)) + vertices / 8
//
// The number of lines is exact, for sources ascend and a line is read once. It is counted as of words of 32 bits, and
// weights are left out. The emulator predicts 0 to 15 % more on U250 and U280, for 2^10 to 2^18 edges over 2^10 to 2^16
// sources.
#include <cmath>

#include "assign.h"
#include "gaspipe/schedule.h"
#include "hls/edge_codec.h"

namespace gaspipe {
namespace scheduler {

namespace {

constexpr std::uint32_t kLine = 16;       // vertices in a word of properties
constexpr double kCyclesPerEdgeWord = 2;  // of 16 edges
constexpr double kCyclesPerLine = 2;
constexpr double kSent = 8;  // vertices a cycle, one per PE

double estimated_cycles(const abi::Partition& partition, const abi::SubPartition& sub_partition) {
  std::uint64_t lines = 0;
  EdgeCount edge = sub_partition.first_edge - sub_partition.skip;
  std::uint32_t last_line = ~0u;
  for (std::uint64_t run = sub_partition.first_run;
       edge < sub_partition.last_edge && sub_partition.first_edge < sub_partition.last_edge; ++run) {
    const std::uint32_t line = partition.run_sources[run] / kLine;
    lines += line != last_line;
    last_line = line;
    edge += partition.run_lengths[run];
  }
  const EdgeCount words =
      PlainEdgeCodec::padded(sub_partition.last_edge - sub_partition.first_edge) / PlainEdgeCodec::kEdgesPerWord;
  const double range = std::ceil((partition.last - partition.first) / kSent);
  const double streamed = kCyclesPerEdgeWord * static_cast<double>(words) + kCyclesPerLine * static_cast<double>(lines);
  return std::max(range, streamed) + range;
}

class Plan {
 public:
  explicit Plan(const Partitioning& partitions) : sums_(partitions.config().compute_units) {
    const abi::Partitioning& table = partitions.table();
    for (std::uint64_t p = 0; p < table.num_partitions; ++p) {
      costs_.emplace_back();
      for (std::uint32_t i = 0; i < table.num_sub_partitions; ++i) {
        costs_[p].push_back(estimated_cycles(table.partitions[p], table.partitions[p].sub_partitions[i]));
      }
      const auto [least, most] = std::minmax_element(costs_[p].begin(), costs_[p].end());
      spread_.push_back(*most - *least);
      longest_.push_back(*most);
    }
    unit_of_.resize(costs_.size());
    // The most uneven first: what comes later evens out what they left. (With 4 units and 20 partitions of random costs
    // the longest unit is 0.8 % above the mean, 8 % where partitions are taken as they come.)
    for (const std::uint32_t p : largest_first(spread_)) unit_of_[p] = longest_to_least(costs_[p], sums_);
  }

  const std::vector<std::uint32_t>& units(std::size_t partition) const { return unit_of_[partition]; }
  std::vector<std::uint32_t> partitions() const { return largest_first(longest_); }

 private:
  std::vector<std::vector<double>> costs_;  // per partition and sub-partition
  std::vector<double> spread_, longest_;    // per partition
  std::vector<double> sums_;                // per unit
  std::vector<std::vector<std::uint32_t>> unit_of_;
};

}  // namespace

Scheduler equal_cycles() {
  const auto plan = std::make_shared<std::unique_ptr<Plan>>();
  return {[plan](const Partitioning& partitions) { *plan = std::make_unique<Plan>(partitions); },
          [plan](const Partition& partition) { return (*plan)->units(partition.index()); },
          [plan](const Partitioning&) { return (*plan)->partitions(); }};
}

}  // namespace scheduler
}  // namespace gaspipe
