// SPDX-License-Identifier: Apache-2.0
// With rows in ascending order, going through all entries u -> v by u meets the entries of each row v in their order.
#include "symmetry.h"

#include <algorithm>
#include <vector>

#include "weights.h"

namespace gaspipe {
namespace detail {
namespace {

// Whether `count` edges from `e` and from `back` on have the same weights, in any order.
bool same_weights(const Csr& rows, std::uint64_t e, std::uint64_t back, std::uint64_t count) {
  return std::visit(
      [&](const auto& weights) {
        if constexpr (is_weighted_v<decltype(weights)>) {
          if (count == 1) return weights[e] == weights[back];
          using Weight = typename std::decay_t<decltype(weights)>::Element;
          std::vector<Weight> here(weights.begin() + e, weights.begin() + e + count);
          std::vector<Weight> there(weights.begin() + back, weights.begin() + back + count);
          std::sort(here.begin(), here.end(), is_lighter<Weight>);
          std::sort(there.begin(), there.end(), is_lighter<Weight>);
          return here == there;
        }
        return true;
      },
      rows.weights);
}

}  // namespace

std::optional<Unpaired> find_unpaired(const Csr& csr, const Pairing& pairing, Workers& workers) {
  bool is_sorted = true;
  for (std::uint64_t u = 0; u < csr.num_rows && is_sorted; ++u) {
    if ((u & 0xfff) == 0) workers.check();
    is_sorted = std::is_sorted(csr.targets.begin() + csr.offsets[u], csr.targets.begin() + csr.offsets[u + 1]);
  }
  const Csr rows = is_sorted ? csr : transpose(transpose(csr, workers), workers);
  std::vector<std::uint64_t> next(csr.num_rows);
  for (std::uint64_t v = 0; v < csr.num_rows; ++v) next[v] = rows.offsets[v];
  for (std::uint64_t u = 0; u < csr.num_rows; ++u) {
    if ((u & 0xfff) == 0) workers.check();
    const std::uint64_t end = rows.offsets[u + 1];
    std::uint64_t run = rows.offsets[u];  // the first of parallel edges
    for (std::uint64_t e = run; e < end; ++e) {
      const VertexId v = rows.targets[e], source = static_cast<VertexId>(u);
      if (rows.targets[run] != v) run = e;
      if (!pairing.allow_parallel && e > run) return Unpaired{Unpaired::Reason::kParallel, source, v};
      // What is skipped is found missing at its own turn.
      std::uint64_t back = next[v];
      const std::uint64_t end_of_v = rows.offsets[std::uint64_t(v) + 1];
      while (back < end_of_v && rows.targets[back] < u) ++back;
      if (back == end_of_v || rows.targets[back] > u) return Unpaired{Unpaired::Reason::kMissing, source, v};
      next[v] = back + 1;
      const bool ends_run = e + 1 == end || rows.targets[e + 1] != v;
      if (pairing.compare_weights && ends_run && !same_weights(rows, run, back - (e - run), e - run + 1)) {
        return Unpaired{Unpaired::Reason::kWeight, source, v};
      }
    }
  }
  return std::nullopt;
}

}  // namespace detail
}  // namespace gaspipe
