// SPDX-License-Identifier: Apache-2.0
// Ranges of ids of about equal cost (cpp/src/domain/balanced_ranges.h), from the edges of a whole graph.
#include "cpp/src/domain/balanced_ranges.h"

namespace gaspipe {
namespace domain_strategy {

Ownership balanced(const Csr& rows, int size, Workers& workers) {
  using detail::TargetCounts;
  constexpr std::uint64_t kEdgeGrain = 1 << 16;
  return detail::balanced_ranges(rows.num_rows, size, [&](std::uint64_t num_sums, const auto& add) {
    std::vector<TargetCounts> of_workers(static_cast<std::size_t>(workers.size()));
    workers.each(num_sums == 0 ? 0 : rows.num_edges(), kEdgeGrain,
                 [&](std::uint64_t first, std::uint64_t last, int worker) {
                   TargetCounts& sums = of_workers[static_cast<std::size_t>(worker)];
                   sums.resize(num_sums);
                   for (std::uint64_t e = first; e < last; ++e) add(rows.targets[e], sums.data());
                 });
    TargetCounts total(num_sums);
    for (const TargetCounts& sums : of_workers) {
      for (std::size_t i = 0; i < sums.size(); ++i) total[i] += sums[i];
    }
    return total;
  });
}

}  // namespace domain_strategy
}  // namespace gaspipe
