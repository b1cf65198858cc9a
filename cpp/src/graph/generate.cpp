// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/generate.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "gaspipe/error.h"

namespace gaspipe {
namespace {

using detail::RandomStream;

constexpr std::uint64_t kMadeAtOnce = std::uint64_t(1) << 14;
constexpr std::uint64_t kMostEdges = std::uint64_t(1) << 40;  // 8 TiB of them; more is a slip of the caller

// One number of 32 bits decides on a level's quadrant: (0, 0) below a, then (0, 1), (1, 0) and (1, 1).
struct Thresholds {
  std::uint64_t a, ab, abc;
};
constexpr Thresholds kGraph500 = {static_cast<std::uint64_t>(0.57 * 4294967296.0),
                                  static_cast<std::uint64_t>(0.76 * 4294967296.0),
                                  static_cast<std::uint64_t>(0.95 * 4294967296.0)};
constexpr std::uint64_t kWordsPerEdge = 16;  // two levels each, for a scale of up to 31

Thresholds thresholds_of(const Initiator& initiator) {
  const auto [a, b, c] = initiator;
  // 0.7 + 0.2 + 0.1 is not 1: sums are taken for the number they round to, else a quadrant of nothing were drawn.
  constexpr double kRounding = 1e-9;
  for (const double p : {a, b, c}) {
    if (!(p >= 0 && p <= 1) || a + b + c > 1 + kRounding) {
      throw InputError(message("a = ", a, ", b = ", b, ", c = ", c, "; allowed are 0 to 1 each and 1 for the sum"));
    }
  }
  const auto threshold = [](double p) {
    return static_cast<std::uint64_t>((p > 1 - kRounding ? 1 : p) * 4294967296.0 + 1e-3);
  };
  return {threshold(a), threshold(a + b), threshold(a + b + c)};
}

std::pair<VertexId, VertexId> rmat_edge(const RandomStream& quadrants, const Thresholds& thresholds, int scale,
                                        std::uint64_t index) {
  VertexId source = 0, destination = 0;
  std::uint64_t bits = 0;
  for (int level = 0; level < scale; ++level) {
    bits = level % 2 == 0 ? quadrants.word(index * kWordsPerEdge + level / 2) : bits >> 32;
    const auto number = static_cast<std::uint32_t>(bits);
    const bool lower = number >= thresholds.ab;
    const bool right = number >= (lower ? thresholds.abc : thresholds.a);
    source = source << 1 | lower;
    destination = destination << 1 | right;
  }
  return {source, destination};
}

// Before a slip of the caller takes a machine down: not every system refuses memory that it does not have.
void check_memory(std::uint64_t num_vertices, std::uint64_t num_edges, double num_bytes) {
  const double memory = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE));
  if (num_bytes > memory) {
    const auto gigabytes = [](double bytes) { return static_cast<std::uint64_t>(bytes / 1e9); };
    throw CapacityError(message("a graph of ", num_vertices, " vertices and ", num_edges, " edges takes ",
                                gigabytes(num_bytes), " GB; this machine has ", gigabytes(memory), " GB; use fewer"));
  }
}

EdgeRange clipped(const EdgeRange& range, std::uint64_t num_edges) {
  const std::uint64_t last = std::min(range.last, num_edges);
  return {std::min(range.first, last), last};
}

// edge(i) for all i of the range.
template <class Edge>
EdgeList make_edges(std::uint64_t num_vertices, const EdgeRange& range, Workers& workers, const Edge& edge) {
  const std::uint64_t num_edges = range.last - range.first;
  check_memory(num_vertices, num_edges, 8.0 * double(num_edges));
  const Writable<VertexId> sources(num_edges), targets(num_edges);
  workers.phase("edges", Workers::kNextLoop);
  workers.each(num_edges, kMadeAtOnce, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) std::tie(sources[i], targets[i]) = edge(range.first + i);
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
  return rmat_edge(quadrants, kGraph500, scale, index);
}

Array<VertexId> random_permutation(std::uint64_t n, std::uint64_t seed, Workers& workers) {
  const RandomStream stream(seed, RandomStream::kPermutation);
  const Writable<VertexId> order(n);
  std::iota(order.data(), order.data() + n, VertexId(0));
  for (std::uint64_t i = n; i > 1; --i) {
    if (i % kMadeAtOnce == 0) workers.check();
    std::swap(order[i - 1], order[stream.below(i, i)]);
  }
  return order.freeze();
}

}  // namespace detail

namespace {

EdgeList quadrant_edges(int scale, int edge_factor, const Thresholds& thresholds, bool permute, std::uint64_t seed,
                        Workers& workers, const EdgeRange& asked) {
  if (scale < 0 || scale > 31) throw InputError(message("scale ", scale, "; allowed are 0 to 31"));
  const std::uint64_t num_vertices = std::uint64_t(1) << scale;
  if (edge_factor < 1 || std::uint64_t(edge_factor) > kMostEdges / num_vertices) {
    throw InputError(
        message("edge_factor ", edge_factor, "; allowed are 1 to ", kMostEdges / num_vertices, " at scale ", scale));
  }
  const EdgeRange range = clipped(asked, std::uint64_t(edge_factor) * num_vertices);
  const std::uint64_t num_edges = range.last - range.first;
  check_memory(num_vertices, num_edges, 8.0 * double(num_edges) + 4.0 * permute * double(num_vertices));
  const Array<VertexId> order = permute ? detail::random_permutation(num_vertices, seed, workers) : Array<VertexId>();
  const RandomStream quadrants(seed, RandomStream::kQuadrants);
  return make_edges(num_vertices, range, workers, [&](std::uint64_t i) {
    const auto [source, destination] = rmat_edge(quadrants, thresholds, scale, i);
    return permute ? std::pair(order[source], order[destination]) : std::pair(source, destination);
  });
}

// Offset o(v) of every row v, and v = num_vertices for their end.
template <class Offset, class FirstEdge>
Offsets make_offsets(std::uint64_t num_vertices, Workers& workers, const FirstEdge& first_edge) {
  const Writable<Offset> offsets(num_vertices + 1);
  workers.each(num_vertices + 1, kMadeAtOnce, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) offsets[v] = static_cast<Offset>(first_edge(v));
  });
  return Offsets(offsets.freeze());
}

// Row v starts at edge first_edge(v), which is known for v = num_vertices too; target(v, j) is where its edge j leads.
// Work is cut by edges, so that one long row is shared.
template <class FirstEdge, class Target>
Csr make_rows(std::uint64_t num_vertices, Workers& workers, const FirstEdge& first_edge, const Target& target) {
  const std::uint64_t num_edges = first_edge(num_vertices);
  const bool narrow = num_edges <= std::numeric_limits<std::uint32_t>::max();
  check_memory(num_vertices, num_edges, (narrow ? 4.0 : 8.0) * double(num_vertices) + 4.0 * double(num_edges));
  Csr csr;
  csr.num_rows = csr.num_columns = static_cast<VertexId>(num_vertices);
  csr.offsets = narrow ? make_offsets<std::uint32_t>(num_vertices, workers, first_edge)
                       : make_offsets<std::uint64_t>(num_vertices, workers, first_edge);
  const Writable<VertexId> targets(num_edges);
  workers.phase("edges", Workers::kNextLoop);
  workers.each(num_edges, kMadeAtOnce, [&](std::uint64_t first, std::uint64_t last, int) {
    std::uint64_t low = 0, high = num_vertices;  // the row of `first`: the last one that starts at or before it
    while (high - low > 1) {
      const std::uint64_t middle = (low + high) / 2;
      (first_edge(middle) <= first ? low : high) = middle;
    }
    std::uint64_t start = first_edge(low), end = first_edge(low + 1);
    for (std::uint64_t e = first; e < last; ++e) {
      while (end <= e) {
        start = end;
        end = first_edge(++low + 1);
      }
      targets[e] = static_cast<VertexId>(target(low, e - start));
    }
  });
  csr.targets = targets.freeze();
  return csr;
}

void check_num_vertices(std::uint64_t num_vertices) {
  if (num_vertices < 1 || num_vertices > kMostVertices) {
    throw InputError(message("num_vertices ", num_vertices, "; allowed are 1 to ", kMostVertices));
  }
}

}  // namespace

EdgeList kronecker_edges(int scale, int edge_factor, std::uint64_t seed, Workers& workers, const EdgeRange& range) {
  return quadrant_edges(scale, edge_factor, kGraph500, /*permute=*/true, seed, workers, range);
}

EdgeList rmat_edges(int scale, int edge_factor, const Initiator& initiator, bool permute, std::uint64_t seed,
                    Workers& workers) {
  return quadrant_edges(scale, edge_factor, thresholds_of(initiator), permute, seed, workers, {});
}

EdgeList uniform_edges(std::uint64_t num_vertices, std::uint64_t num_edges, std::uint64_t seed, Workers& workers,
                       const EdgeRange& range) {
  check_num_vertices(num_vertices);
  if (num_edges > kMostEdges) throw InputError(message("num_edges ", num_edges, "; allowed are 0 to ", kMostEdges));
  const RandomStream ends(seed, RandomStream::kEnds);
  return make_edges(num_vertices, clipped(range, num_edges), workers, [&](std::uint64_t i) {
    return std::pair(static_cast<VertexId>(ends.below(num_vertices, 2 * i)),
                     static_cast<VertexId>(ends.below(num_vertices, 2 * i + 1)));
  });
}

Csr grid(std::uint64_t rows, std::uint64_t columns, bool symmetric, Workers& workers) {
  if (rows < 1 || rows > kMostVertices) throw InputError(message("rows ", rows, "; allowed are 1 to ", kMostVertices));
  if (columns < 1 || columns > kMostVertices / rows) {
    throw InputError(
        message("columns ", columns, "; allowed are 1 to ", kMostVertices / rows, " for a grid of ", rows, " rows"));
  }
  const std::uint64_t n = rows * columns;
  // Edges of one direction that leave the vertices before v.
  const auto rights = [=](std::uint64_t v) { return v / columns * (columns - 1) + std::min(v % columns, columns - 1); };
  const auto downs = [=](std::uint64_t v) { return std::min(v, n - columns); };
  if (!symmetric) {
    return make_rows(
        n, workers, [=](std::uint64_t v) { return rights(v) + downs(v); },
        [=](std::uint64_t v, std::uint64_t j) { return j == 0 && (v + 1) % columns != 0 ? v + 1 : v + columns; });
  }
  const auto lefts = [=](std::uint64_t v) {
    return v / columns * (columns - 1) + (v % columns == 0 ? 0 : v % columns - 1);
  };
  const auto ups = [=](std::uint64_t v) { return v < columns ? 0 : v - columns; };
  return make_rows(
      n, workers, [=](std::uint64_t v) { return ups(v) + lefts(v) + rights(v) + downs(v); },
      [=](std::uint64_t v, std::uint64_t j) {
        if (v >= columns && j-- == 0) return v - columns;
        if (v % columns != 0 && j-- == 0) return v - 1;
        if ((v + 1) % columns != 0 && j-- == 0) return v + 1;
        return v + columns;
      });
}

Csr star(std::uint64_t num_vertices, bool symmetric, Workers& workers) {
  check_num_vertices(num_vertices);
  return make_rows(
      num_vertices, workers, [=](std::uint64_t v) { return v == 0 ? 0 : num_vertices - 1 + (symmetric ? v - 1 : 0); },
      [](std::uint64_t v, std::uint64_t j) { return v == 0 ? j + 1 : 0; });
}

Csr chain(std::uint64_t num_vertices, bool symmetric, Workers& workers) {
  check_num_vertices(num_vertices);
  return grid(1, num_vertices, symmetric, workers);
}

Csr complete(std::uint64_t num_vertices, Workers& workers) {
  check_num_vertices(num_vertices);
  return make_rows(
      num_vertices, workers, [=](std::uint64_t v) { return v * (num_vertices - 1); },
      [](std::uint64_t v, std::uint64_t j) { return j + (j >= v); });
}

Csr acyclic(std::uint64_t num_vertices, Workers& workers) {
  check_num_vertices(num_vertices);
  return make_rows(
      num_vertices, workers,
      [=](std::uint64_t v) {  // v * (2n - v - 1) / 2, halved before it can overflow
        const std::uint64_t length = 2 * num_vertices - v - 1;
        return v % 2 == 0 ? v / 2 * length : length / 2 * v;
      },
      [](std::uint64_t v, std::uint64_t j) { return v + 1 + j; });
}

Array<std::int32_t> random_weights(std::uint64_t n, std::int32_t low, std::int32_t high, std::uint64_t seed,
                                   Workers& workers) {
  const WeightRange range(low, high);
  if (n > kMostEdges) throw InputError(message(n, " weights; allowed are 0 to ", kMostEdges));
  const RandomStream stream(seed, RandomStream::kWeights);
  const Writable<std::int32_t> weights(n);
  workers.each(n, kMadeAtOnce, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) weights[i] = range.pick(stream, i);
  });
  return weights.freeze();
}

Array<std::int32_t> symmetric_random_weights(const EdgeList& edges, std::int32_t low, std::int32_t high,
                                             std::uint64_t seed, Workers& workers) {
  const WeightRange range(low, high);
  const RandomStream stream(seed, RandomStream::kPairWeights);
  const Writable<std::int32_t> weights(edges.sources.size());
  workers.each(weights.size(), kMadeAtOnce, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t e = first; e < last; ++e) {
      const std::uint64_t i = edges.sources[e], j = edges.targets[e];
      weights[e] = range.pick(stream, std::min(i, j) << 32 | std::max(i, j));
    }
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
