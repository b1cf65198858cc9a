// SPDX-License-Identifier: Apache-2.0
#include "sample.h"

#include <algorithm>

namespace gaspipe {
namespace predict {

void choose_sample(std::vector<SubPartitionTime>& sub_partitions, EdgeCount num_edges) {
  std::vector<std::size_t> busy;
  EdgeCount edges = 0;
  for (std::size_t i = 0; i < sub_partitions.size(); ++i) {
    sub_partitions[i].is_timed = false;
    if (sub_partitions[i].is_idle) continue;
    busy.push_back(i);
    edges += sub_partitions[i].edges;
  }
  if (busy.empty()) return;
  const double mean = static_cast<double>(edges) / static_cast<double>(busy.size());
  std::size_t wanted = busy.size();
  if (num_edges > 0 && num_edges < edges) {
    wanted = static_cast<std::size_t>(static_cast<double>(num_edges) / mean);
    wanted = std::min(busy.size(), std::max<std::size_t>(2, wanted));
  }
  std::stable_sort(busy.begin(), busy.end(),
                   [&](std::size_t a, std::size_t b) { return sub_partitions[a].cost > sub_partitions[b].cost; });
  for (std::size_t i = 0; i < wanted; ++i)
    sub_partitions[busy[(2 * i + 1) * busy.size() / (2 * wanted)]].is_timed = true;
}

void scale_others(std::vector<SubPartitionTime>& sub_partitions) {
  double cost = 0, cycles = 0;
  std::vector<double> bytes;
  for (const SubPartitionTime& timed : sub_partitions) {
    if (!timed.is_timed) continue;
    cost += timed.cost;
    cycles += timed.cycles;
    bytes.resize(timed.bytes.size());
    for (std::size_t c = 0; c < bytes.size(); ++c) bytes[c] += timed.bytes[c];
  }
  for (SubPartitionTime& other : sub_partitions) {
    if (other.is_timed || other.is_idle) continue;
    other.cycles = other.cost / cost * cycles;
    for (std::size_t c = 0; c < bytes.size(); ++c) other.bytes[c] = other.cost / cost * bytes[c];
  }
}

}  // namespace predict
}  // namespace gaspipe
