// SPDX-License-Identifier: Apache-2.0
// With rows in ascending order, going through all entries u -> v by u meets the entries of each row v in their order.
#include "symmetry.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "gaspipe/fingerprint.h"
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

namespace {

constexpr EdgeCount kSampledEdges = 64;
constexpr EdgeCount kMostEdgesSearched = 1 << 10;  // of a sampled edge's row

std::uint64_t row_of(const Csr& csr, EdgeCount edge) {
  std::uint64_t low = 0, high = csr.num_rows;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (csr.offsets[middle] <= edge ? low : high) = middle;
  }
  return low;
}

// A few edges tell of most directed graphs.
bool samples_are_paired(const Csr& csr) {
  const EdgeCount stride = csr.num_edges() / kSampledEdges + 1;
  for (EdgeCount e = stride / 2; e < csr.num_edges(); e += stride) {
    const auto source = static_cast<VertexId>(row_of(csr, e));
    const VertexId* first = csr.targets.data() + csr.offsets[csr.targets[e]];
    const VertexId* last = csr.targets.data() + csr.offsets[std::uint64_t(csr.targets[e]) + 1];
    if (last - first <= std::ptrdiff_t(kMostEdgesSearched) && std::find(first, last, source) == last) return false;
  }
  return true;
}

// 0 where every edge has its reverse; `factor_of` multiplies what an edge adds.
template <class FactorOf>
std::uint64_t fingerprint(const Csr& csr, std::uint64_t key, const FactorOf& factor_of, Workers& workers) {
  std::atomic<std::uint64_t> sum{0};
  workers.each(csr.num_rows, 1 << 12, [&](std::uint64_t first, std::uint64_t last, int) {
    Fingerprint own(key);
    for (std::uint64_t u = first; u < last; ++u) {
      for (EdgeCount e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) own.add_destination(csr.targets[e], factor_of(e));
      own.end_row(u);
    }
    sum.fetch_add(own.sum(), std::memory_order_relaxed);
  });
  return sum;
}

std::uint64_t fingerprint(const Csr& csr, Workers& workers) {
  return fingerprint(csr, Fingerprint::random_key(), [](EdgeCount) { return std::uint64_t(1); }, workers);
}

}  // namespace

bool is_symmetric(const Csr& csr, Workers& workers) {
  return samples_are_paired(csr) && fingerprint(csr, workers) == 0;
}

bool is_undirected(const Csr& csr, Workers& workers) {
  if (!samples_are_paired(csr)) return false;
  const VertexId* const targets = csr.targets.data();
  std::atomic<bool> is_simple{true};
  workers.each(csr.num_rows, 1 << 12, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t u = first; u < last && is_simple.load(std::memory_order_relaxed); ++u) {
      bool ascends = true;
      for (EdgeCount e = csr.offsets[u] + 1; e < csr.offsets[u + 1]; ++e) ascends &= targets[e - 1] < targets[e];
      if (!ascends) is_simple.store(false, std::memory_order_relaxed);
    }
  });
  if (!is_simple) return false;
  return std::visit(
      [&](const auto& weights) {
        if constexpr (is_weighted_v<decltype(weights)>) {
          const std::uint64_t key = Fingerprint::random_key();
          const auto factor_of = [&](EdgeCount e) { return Fingerprint::factor_of(weights[e], key); };
          return fingerprint(csr, key, factor_of, workers) == 0;
        } else {
          return fingerprint(csr, workers) == 0;
        }
      },
      csr.weights);
}

}  // namespace detail
}  // namespace gaspipe
