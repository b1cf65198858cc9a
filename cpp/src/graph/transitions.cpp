// SPDX-License-Identifier: Apache-2.0
// Row by row: sums are compensated, for a row may be as long as the graph, and scaled where they leave the doubles.
#include "transitions.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "fixed_shares.h"
#include "gaspipe/find_first.h"

namespace gaspipe {
namespace detail {
namespace {

constexpr std::uint64_t kRowGrain = 1 << 10;

struct EveryEdgeWeighsOne {
  double operator[](EdgeCount) const { return 1; }
};

template <class Weight>
void check(const Csr& csr, const Array<Weight>& weights, Workers& workers) {
  const EdgeCount bad = find_first(weights.size(), workers, [&](std::uint64_t e) {
    return !(weights[e] >= 0) || static_cast<double>(weights[e]) > std::numeric_limits<double>::max();
  });
  if (bad == weights.size()) return;
  std::uint64_t low = 0, high = csr.num_rows;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (csr.offsets[middle] <= bad ? low : high) = middle;
  }
  throw InputError(message("edge ", low, " -> ", csr.targets[bad], " has weight ", weights[bad],
                           "; probabilities of following edges need finite weights >= 0"));
}

// Shares all with `csr` where there is nothing to leave out.
template <class Weight>
Csr without_zeros(const Csr& csr, const Array<Weight>& weights, Workers& workers) {
  if (find_first(weights.size(), workers, [&](std::uint64_t e) { return weights[e] == 0; }) == weights.size()) {
    return csr;
  }
  const Writable<std::uint32_t> counts(csr.num_rows);
  workers.each(csr.num_rows, kRowGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) {
      counts[v] = 0;
      for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) counts[v] += weights[e] != 0;
    }
  });
  Csr kept;
  kept.num_rows = csr.num_rows;
  kept.num_columns = csr.num_columns;
  kept.offsets = csr.num_edges() <= std::numeric_limits<std::uint32_t>::max()
                     ? Offsets(offsets_from_counts<std::uint32_t>(counts.data(), csr.num_rows))
                     : Offsets(offsets_from_counts<std::uint64_t>(counts.data(), csr.num_rows));
  const Writable<VertexId> targets(kept.offsets[csr.num_rows]);
  const Writable<Weight> kept_weights(targets.size());
  workers.each(csr.num_rows, kRowGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    EdgeCount to = kept.offsets[first];
    for (EdgeCount e = csr.offsets[first]; e < csr.offsets[last]; ++e) {
      if (weights[e] == 0) continue;
      targets[to] = csr.targets[e];
      kept_weights[to++] = weights[e];
    }
  });
  kept.targets = targets.freeze();
  kept.weights = kept_weights.freeze();
  return kept;
}

template <class Probability, class RowWeights>
Array<Probability> probabilities(const Csr& csr, const RowWeights& weights, Workers& workers) {
  const Writable<Probability> found(csr.num_edges());
  workers.each(csr.num_rows, kRowGrain, [&](std::uint64_t first_row, std::uint64_t last_row, int) {
    for (std::uint64_t v = first_row; v < last_row; ++v) {
      const EdgeCount first = csr.offsets[v], end = csr.offsets[v + 1];
      double scale = 1;
      const auto sum_up_to = [&](EdgeCount last) {
        CompensatedSum sum;
        for (EdgeCount e = first; e < last; ++e) sum.add(scale * static_cast<double>(weights[e]));
        return sum.value();
      };
      double sum = sum_up_to(end);
      if (!std::isfinite(sum)) {
        scale = std::ldexp(1.0, -64);
        sum = sum_up_to(end);
      }
      if constexpr (std::is_floating_point_v<Probability>) {
        for (EdgeCount e = first; e < end; ++e) {
          found[e] = static_cast<Probability>(scale * static_cast<double>(weights[e]) / sum);
        }
      } else {
        FixedShares shares;
        for (EdgeCount e = first; e < end; ++e) {
          found[e] = shares.next(scale * static_cast<double>(weights[e]), sum, e + 1 == end);
        }
      }
    }
  });
  return found.freeze();
}

template <class RowWeights>
Weights probabilities_as(abi::Scalar type, const Csr& csr, const RowWeights& weights, Workers& workers) {
  if (type == abi::kFloat64) return probabilities<double>(csr, weights, workers);
  if (type == abi::kFloat32) return probabilities<float>(csr, weights, workers);
  return probabilities<std::int64_t>(csr, weights, workers);
}

}  // namespace

Csr transitions(const Csr& csr, abi::Scalar type, Workers& workers) {
  return std::visit(
      [&](const auto& weights) {
        Csr found = csr;
        if constexpr (std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) {
          found.weights = probabilities_as(type, found, EveryEdgeWeighsOne(), workers);
        } else {
          check(csr, weights, workers);
          found = without_zeros(csr, weights, workers);
          const auto kept = std::get<std::decay_t<decltype(weights)>>(found.weights);
          found.weights = probabilities_as(type, found, kept, workers);
        }
        return found;
      },
      csr.weights);
}

}  // namespace detail
}  // namespace gaspipe
