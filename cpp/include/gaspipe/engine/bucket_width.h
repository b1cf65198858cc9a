// SPDX-License-Identifier: Apache-2.0
// How much of priority a bucket of buckets.h takes, to begin with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "gaspipe/abi.h"
#include "hls/types.h"

namespace gaspipe {
namespace engine {

// Width in mean weights per mean degree, to begin with: the theory's choice up to a factor. Two threads, Xeon,
// Kronecker 18 and 20: 2 takes 1.15 and 1.06 times as long, 8 takes 1.7 and 1.5 times; uniform graphs prefer 2 to 4.
constexpr double kBucketWidth = 1;
constexpr EdgeCount kSampledEdges = 1024;

// By a sample of the weights; 1 where there are none, or all are 0 or none is finite.
template <class Program>
double bucket_width(const abi::Csr& csr) {
  using Traits = gaspipe::Traits<typename Program::Hooks>;
  using EdgeProperty = typename Traits::EdgeProperty;
  if (!Traits::kReadsEdgeProperty || csr.weights == nullptr || csr.num_edges == 0) return 1;
  const auto* weights = static_cast<const EdgeProperty*>(csr.weights);
  const EdgeCount stride = (csr.num_edges + kSampledEdges - 1) / kSampledEdges;
  double sum = 0, count = 0;
  for (EdgeCount e = 0; e < csr.num_edges; e += stride) {
    const double weight = static_cast<double>(weights[e]);
    if (!std::isfinite(weight)) continue;
    sum += weight;
    ++count;
  }
  const double degree = static_cast<double>(csr.num_edges) / csr.num_vertices;
  const double width = kBucketWidth * sum / count / std::max(degree, 1.0);
  if (!(width > std::numeric_limits<double>::min())) return 1;
  return std::is_integral_v<EdgeProperty> ? std::max(width, 1.0) : std::min(width, std::numeric_limits<double>::max());
}

}  // namespace engine
}  // namespace gaspipe
