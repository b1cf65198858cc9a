// SPDX-License-Identifier: Apache-2.0
// With rows in ascending order, going through all entries u -> v by u meets the entries of each row v in their order.
#include "symmetry.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
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

// D. Stafford's mix 13, as in SplitMix64.
std::uint64_t mixed(std::uint64_t v) {
  v *= 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 31)) * 0x94d049bb133111ebu;
  return v ^ (v >> 29);
}

template <class Weight>
std::uint64_t number_of(Weight weight, std::uint64_t key) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &weight, sizeof(weight));
  return mixed(mixed(bits + key) + 1);
}

// With a random number r for every vertex, the sum over all edges u -> v of r(u) r(v) (r(v) - r(u)) is 0 if every edge
// has its reverse. Else it is a polynomial of degree 3 that is not 0 itself, and hardly ever in random numbers (R.
// Freivalds, 1977; J. Schwartz, 1980). The second sum over a row is of r(v)^2. Where terms are multiplied by a number
// for the weight of the edge, reverses have the same weights.
template <class NumberOfEdge>
std::uint64_t fingerprint(const Csr& csr, const NumberOfEdge& number_of_edge, std::uint64_t key, Workers& workers) {
  std::atomic<std::uint64_t> total{0};
  workers.each(csr.num_rows, 1 << 12, [&](std::uint64_t first, std::uint64_t last, int) {
    std::uint64_t sum = 0;
    for (std::uint64_t u = first; u < last; ++u) {
      std::uint64_t linear = 0, square = 0;
      for (EdgeCount e = csr.offsets[u]; e < csr.offsets[u + 1]; ++e) {
        const std::uint64_t r = mixed(csr.targets[e] + key), term = r * number_of_edge(e);
        linear += term;
        square += term * r;
      }
      const std::uint64_t r = mixed(u + key);
      sum += r * (square - r * linear);
    }
    total.fetch_add(sum, std::memory_order_relaxed);
  });
  return total;
}

std::uint64_t random_key() {
  std::random_device device;
  return (std::uint64_t(device()) << 32) | device();
}

}  // namespace

bool is_symmetric(const Csr& csr, Workers& workers) {
  if (!samples_are_paired(csr)) return false;
  return fingerprint(csr, [](EdgeCount) { return std::uint64_t(1); }, random_key(), workers) == 0;
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
  const std::uint64_t key = random_key();
  return std::visit(
      [&](const auto& weights) {
        if constexpr (is_weighted_v<decltype(weights)>) {
          return fingerprint(csr, [&](EdgeCount e) { return number_of(weights[e], key); }, key, workers) == 0;
        } else {
          return fingerprint(csr, [](EdgeCount) { return std::uint64_t(1); }, key, workers) == 0;
        }
      },
      csr.weights);
}

}  // namespace detail
}  // namespace gaspipe
