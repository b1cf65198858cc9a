// SPDX-License-Identifier: Apache-2.0
// Random graphs and weights, and graphs of a plain shape. Every number is a function of seed, stream and index, so that
// a graph is the same for any number of threads and on any machine.
// Kronecker graphs: Graph 500 specification, section 3, https://graph500.org; they are R-MAT graphs (D. Chakrabarti et
// al., SDM 2004, doi:10.1137/1.9781611972740.43). Mixing: splitmix64 (G. Steele et al., OOPSLA 2014,
// doi:10.1145/2660193.2660195).
#pragma once

#include <cstdint>
#include <utility>

#include "gaspipe/array.h"
#include "gaspipe/csr.h"
#include "gaspipe/workers.h"

namespace gaspipe {

// Which of the edges of a random graph: numbers first to last - 1. All together are the graph, however it is cut; a
// part takes the memory of its edges and, where vertices are put in random order, 4 bytes per vertex.
struct EdgeRange {
  std::uint64_t first = 0, last = ~std::uint64_t(0);  // past the last edge: up to it
};

// Graph 500's graph of 2^scale vertices and edge_factor * 2^scale directed edges (A = 0.57, B = C = 0.19, D = 0.05, no
// noise), its vertices in random order; loops and parallel edges are kept. scale is 0 to 31.
EdgeList kronecker_edges(int scale, int edge_factor, std::uint64_t seed, Workers& workers, const EdgeRange& range = {});

// Probabilities of the quadrants of an R-MAT graph's matrix on every level, upper left, upper right and lower left; the
// lower right has the rest.
struct Initiator {
  double a = 0.57, b = 0.19, c = 0.19;
};

// As kronecker_edges, with another initiator; unless `permute`, vertices stay where the quadrants put them.
EdgeList rmat_edges(int scale, int edge_factor, const Initiator& initiator, bool permute, std::uint64_t seed,
                    Workers& workers);

// Both ends of every edge uniform among the vertices; loops and parallel edges are kept.
EdgeList uniform_edges(std::uint64_t num_vertices, std::uint64_t num_edges, std::uint64_t seed, Workers& workers,
                       const EdgeRange& range = {});

// Graphs of a plain shape, rows sorted; `symmetric` ones have every edge in both directions. CapacityError where
// the machine's memory cannot hold one, here and above.
// rows * columns vertices, row by row, with edges to the right and down.
Csr grid(std::uint64_t rows, std::uint64_t columns, bool symmetric, Workers& workers);
// Edges from vertex 0 to all others.
Csr star(std::uint64_t num_vertices, bool symmetric, Workers& workers);
// Edges from every vertex to the next.
Csr chain(std::uint64_t num_vertices, bool symmetric, Workers& workers);
// Edges from every vertex to all others.
Csr complete(std::uint64_t num_vertices, Workers& workers);
// Edges from every vertex to all that follow: the complete graph without cycles.
Csr acyclic(std::uint64_t num_vertices, Workers& workers);

// n integers, uniform from low to high inclusive.
Array<std::int32_t> random_weights(std::uint64_t n, std::int32_t low, std::int32_t high, std::uint64_t seed,
                                   Workers& workers);

// A weight per edge, uniform from low to high inclusive and the same for i -> j and j -> i.
Array<std::int32_t> symmetric_random_weights(const Csr& csr, std::int32_t low, std::int32_t high, std::uint64_t seed,
                                             Workers& workers);
// Likewise, of edges in any order.
Array<std::int32_t> symmetric_random_weights(const EdgeList& edges, std::int32_t low, std::int32_t high,
                                             std::uint64_t seed, Workers& workers);

namespace detail {

// The numbers of one purpose: the splitmix64 sequence that starts at a point given by seed and purpose.
class RandomStream {
 public:
  enum Purpose : std::uint64_t { kQuadrants = 1, kPermutation, kEnds, kWeights, kPairWeights, kOrder, kWalks };

  RandomStream(std::uint64_t seed, Purpose purpose) : start_(mix(mix(seed) + purpose)) {}

  // 64 random bits.
  std::uint64_t word(std::uint64_t index) const { return mix(start_ + (index + 1) * 0x9e3779b97f4a7c15u); }

  // Uniform below `bound`, which is 1 to 2^32: the high part of word * bound, so the bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound, std::uint64_t index) const {
    const std::uint64_t bits = word(index);
    return ((bits >> 32) * bound + ((bits & 0xffffffffu) * bound >> 32)) >> 32;
  }

 private:
  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }

  std::uint64_t start_;
};

// Source and destination of an edge of a Kronecker graph before the vertices are put in random order.
std::pair<VertexId, VertexId> kronecker_edge(const RandomStream& quadrants, int scale, std::uint64_t index);

Array<VertexId> random_permutation(std::uint64_t n, std::uint64_t seed, Workers& workers);

}  // namespace detail
}  // namespace gaspipe
