// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/generate.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "gaspipe/error.h"

namespace gaspipe {
namespace {

using detail::RandomStream;

constexpr std::uint64_t kGrain = std::uint64_t(1) << 14;
constexpr std::uint64_t kMostEdges = std::uint64_t(1) << 40;  // 8 TiB of them; more is a slip of the caller

// One number of 32 bits decides on a level's quadrant: (0, 0) below kA, then (0, 1), (1, 0) and (1, 1).
constexpr auto kA = static_cast<std::uint32_t>(0.57 * 4294967296.0);
constexpr auto kAB = static_cast<std::uint32_t>(0.76 * 4294967296.0);
constexpr auto kABC = static_cast<std::uint32_t>(0.95 * 4294967296.0);
constexpr std::uint64_t kWordsPerEdge = 16;  // two levels each, for a scale of up to 31

// edge(i) for all i below num_edges.
template <class Edge>
EdgeList make_edges(std::uint64_t num_vertices, std::uint64_t num_edges, Workers& workers, const Edge& edge) {
  const Writable<VertexId> sources(num_edges), targets(num_edges);
  workers.each(num_edges, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) std::tie(sources[i], targets[i]) = edge(i);
  });
  return {num_vertices, sources.freeze(), targets.freeze(), {}};
}

class WeightRange {
 public:
  WeightRange(std::int32_t low, std::int32_t high) : low_(low), count_(std::int64_t(high) - low + 1) {
    if (low > high) throw InputError(message("weights from low = ", low, " to high = ", high, "; low must be <= high"));
  }

  std::int32_t pick(const RandomStream& stream, std::uint64_t index) const {
    return static_cast<std::int32_t>(low_ + static_cast<std::int64_t>(stream.below(count_, index)));
  }

 private:
  std::int64_t low_;
  std::uint64_t count_;
};

}  // namespace

namespace detail {

std::pair<VertexId, VertexId> kronecker_edge(const RandomStream& quadrants, int scale, std::uint64_t index) {
  VertexId source = 0, destination = 0;
  std::uint64_t bits = 0;
  for (int level = 0; level < scale; ++level) {
    bits = level % 2 == 0 ? quadrants.word(index * kWordsPerEdge + level / 2) : bits >> 32;
    const auto number = static_cast<std::uint32_t>(bits);
    const bool lower = number >= kAB;
    const bool right = number >= (lower ? kABC : kA);
    source = source << 1 | lower;
    destination = destination << 1 | right;
  }
  return {source, destination};
}

Array<VertexId> random_permutation(std::uint64_t n, std::uint64_t seed, Workers& workers) {
  const RandomStream stream(seed, RandomStream::kPermutation);
  const Writable<VertexId> order(n);
  std::iota(order.data(), order.data() + n, VertexId(0));
  for (std::uint64_t i = n; i > 1; --i) {
    if (i % kGrain == 0) workers.check();
    std::swap(order[i - 1], order[stream.below(i, i)]);
  }
  return order.freeze();
}

}  // namespace detail

EdgeList kronecker_edges(int scale, int edge_factor, std::uint64_t seed, Workers& workers) {
  if (scale < 0 || scale > 31) throw InputError(message("scale ", scale, "; allowed are 0 to 31"));
  const std::uint64_t num_vertices = std::uint64_t(1) << scale;
  if (edge_factor < 1 || std::uint64_t(edge_factor) > kMostEdges / num_vertices) {
    throw InputError(
        message("edge_factor ", edge_factor, "; allowed are 1 to ", kMostEdges / num_vertices, " at scale ", scale));
  }
  const Array<VertexId> order = detail::random_permutation(num_vertices, seed, workers);
  const RandomStream quadrants(seed, RandomStream::kQuadrants);
  return make_edges(num_vertices, std::uint64_t(edge_factor) * num_vertices, workers, [&](std::uint64_t i) {
    const auto [source, destination] = detail::kronecker_edge(quadrants, scale, i);
    return std::pair(order[source], order[destination]);
  });
}

EdgeList uniform_edges(std::uint64_t num_vertices, std::uint64_t num_edges, std::uint64_t seed, Workers& workers) {
  if (num_vertices < 1 || num_vertices > kMostVertices) {
    throw InputError(message("num_vertices ", num_vertices, "; allowed are 1 to ", kMostVertices));
  }
  if (num_edges > kMostEdges) throw InputError(message("num_edges ", num_edges, "; allowed are 0 to ", kMostEdges));
  const RandomStream ends(seed, RandomStream::kEnds);
  return make_edges(num_vertices, num_edges, workers, [&](std::uint64_t i) {
    return std::pair(static_cast<VertexId>(ends.below(num_vertices, 2 * i)),
                     static_cast<VertexId>(ends.below(num_vertices, 2 * i + 1)));
  });
}

Array<std::int32_t> random_weights(std::uint64_t n, std::int32_t low, std::int32_t high, std::uint64_t seed,
                                   Workers& workers) {
  const WeightRange range(low, high);
  if (n > kMostEdges) throw InputError(message(n, " weights; allowed are 0 to ", kMostEdges));
  const RandomStream stream(seed, RandomStream::kWeights);
  const Writable<std::int32_t> weights(n);
  workers.each(n, kGrain, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) weights[i] = range.pick(stream, i);
  });
  return weights.freeze();
}

Array<std::int32_t> symmetric_random_weights(const Csr& csr, std::int32_t low, std::int32_t high, std::uint64_t seed,
                                             Workers& workers) {
  const WeightRange range(low, high);
  if (csr.num_rows != csr.num_columns) {
    throw InputError(
        message("symmetric weights for a matrix of ", csr.num_rows, " x ", csr.num_columns, "; it must be square"));
  }
  const RandomStream stream(seed, RandomStream::kPairWeights);
  const Writable<std::int32_t> weights(csr.num_edges());
  workers.each(csr.num_rows, 1024, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      for (EdgeCount e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e) {
        const std::uint64_t j = csr.targets[e];
        weights[e] = range.pick(stream, std::min(i, j) << 32 | std::max(i, j));
      }
    }
  });
  return weights.freeze();
}

}  // namespace gaspipe
