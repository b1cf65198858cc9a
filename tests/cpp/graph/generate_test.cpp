// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gaspipe {
namespace {

using detail::RandomStream;
using Edges = std::vector<std::pair<VertexId, VertexId>>;
constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kHighest = std::numeric_limits<std::int32_t>::max();

Edges pairs(const EdgeList& edges) {
  Edges list;
  for (std::size_t i = 0; i < edges.sources.size(); ++i) list.emplace_back(edges.sources[i], edges.targets[i]);
  return list;
}

EdgeList kronecker(int scale, int edge_factor, std::uint64_t seed, int num_threads = 2) {
  Workers workers(num_threads);
  return kronecker_edges(scale, edge_factor, seed, workers);
}

EdgeList uniform(std::uint64_t num_vertices, std::uint64_t num_edges, std::uint64_t seed, int num_threads = 2) {
  Workers workers(num_threads);
  return uniform_edges(num_vertices, num_edges, seed, workers);
}

std::vector<std::int32_t> weights(std::uint64_t n, std::int32_t low, std::int32_t high, std::uint64_t seed) {
  Workers workers(2);
  const auto array = random_weights(n, low, high, seed, workers);
  return {array.begin(), array.end()};
}

std::uint64_t fnv(std::uint64_t hash, std::uint64_t value) { return (hash ^ value) * 0x100000001b3u; }

std::uint64_t digest(const EdgeList& edges) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const auto& [source, destination] : pairs(edges)) hash = fnv(fnv(hash, source), destination);
  return hash;
}

// Sum over the cells of (found - expected)^2 / expected: its mean is one less than the number of cells, and at 5
// standard deviations above it (of sqrt(2 cells)) a sound generator fails once in a million; these seeds are fixed.
void expect_fits(const std::vector<double>& found, const std::vector<double>& expected) {
  double chi_square = 0;
  for (std::size_t i = 0; i < found.size(); ++i) chi_square += std::pow(found[i] - expected[i], 2) / expected[i];
  const double freedom = double(found.size()) - 1;
  EXPECT_LT(chi_square, freedom + 5 * std::sqrt(2 * freedom));
}

void expect_uniform(const std::vector<double>& found, double total) {
  expect_fits(found, std::vector<double>(found.size(), total / double(found.size())));
}

template <class Function>
std::string input_error(const Function& function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Generate, IsTheSameForAnyNumberOfThreads) {
  EXPECT_EQ(pairs(kronecker(12, 16, 5, 1)), pairs(kronecker(12, 16, 5, 3)));
  EXPECT_EQ(pairs(uniform(1000, 100000, 5, 1)), pairs(uniform(1000, 100000, 5, 3)));
}

TEST(Generate, IsTheSameInEveryVersionAndOnEveryMachine) {
  EXPECT_EQ(digest(kronecker(10, 4, 1)), 9558738650497965517u);
  EXPECT_EQ(digest(uniform(1000, 4000, 1)), 14823105832861048480u);
  EXPECT_EQ(weights(4, 1, 255, 1), (std::vector<std::int32_t>{76, 179, 145, 207}));
}

TEST(Generate, DiffersBySeed) {
  EXPECT_NE(pairs(kronecker(8, 4, 1)), pairs(kronecker(8, 4, 2)));
  EXPECT_NE(pairs(uniform(100, 400, 1)), pairs(uniform(100, 400, 2)));
  EXPECT_NE(weights(100, 0, 99, 1), weights(100, 0, 99, 2));
}

TEST(RandomStream, HasUnrelatedWordsForEverySeedAndPurpose) {
  const RandomStream ends(3, RandomStream::kEnds), more(3, RandomStream::kWeights), other(4, RandomStream::kEnds);
  std::set<std::uint64_t> words;
  double ones = 0;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    words.insert({ends.word(i), more.word(i), other.word(i)});
    ones += __builtin_popcountll(ends.word(i) ^ more.word(i)) + __builtin_popcountll(ends.word(i) ^ other.word(i));
  }
  EXPECT_EQ(words.size(), 30000u);
  EXPECT_NEAR(ones / 20000, 32, 0.15);  // 4 / sqrt(20000) = 0.03 is the standard deviation
}

TEST(RandomStream, BelowIsTheHighPartOfTheProduct) {
  const RandomStream stream(3, RandomStream::kEnds);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(stream.below(1, i), 0u);
    EXPECT_EQ(stream.below(std::uint64_t(1) << 32, i), stream.word(i) >> 32);
    EXPECT_EQ(stream.below(1 << 20, i), stream.word(i) >> 44);
    const double product = double(stream.word(i)) / 18446744073709551616.0 * 4294967295.0;
    EXPECT_NEAR(double(stream.below(4294967295, i)), product, 1.0);
  }
}

TEST(Kronecker, PicksQuadrantsAtTheGraph500ProbabilitiesOnEveryLevel) {
  const int scale = 31, n = 100000;
  std::vector<std::vector<double>> found(scale, std::vector<double>(4));
  std::vector<double> joint(16);  // quadrants of two neighbouring levels, which share a random word
  const RandomStream quadrants(11, RandomStream::kQuadrants);
  for (int i = 0; i < n; ++i) {
    const auto [source, destination] = detail::kronecker_edge(quadrants, scale, i);
    for (int level = 0; level < scale; ++level) ++found[level][2 * (source >> level & 1) + (destination >> level & 1)];
    ++joint[4 * (source >> 29 & 3) + (destination >> 29 & 3)];
  }
  const std::vector<double> initiator = {0.57, 0.19, 0.19, 0.05};
  std::vector<double> expected, expected_joint(16);
  for (const double p : initiator) expected.push_back(p * n);
  for (int source = 0; source < 4; ++source) {
    for (int destination = 0; destination < 4; ++destination) {
      expected_joint[4 * source + destination] =
          n * initiator[2 * (source >> 1) + (destination >> 1)] * initiator[2 * (source & 1) + (destination & 1)];
    }
  }
  for (const auto& level : found) expect_fits(level, expected);
  expect_fits(joint, expected_joint);
}

TEST(Kronecker, HasTheDegreesLoopsAndParallelEdgesThatItsInitiatorImplies) {
  const int scale = 14, edge_factor = 16;
  const EdgeList edges = kronecker(scale, edge_factor, 3);
  const double n = std::pow(2, scale), m = n * edge_factor;
  ASSERT_EQ(edges.num_vertices, std::uint64_t(n));
  ASSERT_EQ(edges.sources.size(), std::size_t(m));
  std::vector<std::uint64_t> out(edges.num_vertices), in(edges.num_vertices);
  Edges list = pairs(edges);
  double loops = 0;
  for (const auto& [source, destination] : list) {
    ++out[source];
    ++in[destination];
    loops += source == destination;
  }
  const double expected_loops = m * std::pow(0.57 + 0.05, scale);
  EXPECT_NEAR(loops, expected_loops, 5 * std::sqrt(expected_loops));
  const double hub = m * std::pow(0.57 + 0.19, scale);
  EXPECT_NEAR(double(*std::max_element(out.begin(), out.end())), hub, 5 * std::sqrt(hub));
  EXPECT_NEAR(double(*std::max_element(in.begin(), in.end())), hub, 5 * std::sqrt(hub));
  // A vertex with k one-bits is no source with probability (1 - 0.76^(scale - k) 0.24^k)^m; a cell likewise stays
  // empty.
  double expected_idle = 0, expected_distinct = 0, choose = 1;
  for (int k = 0; k <= scale; ++k) {
    expected_idle += choose * std::exp(m * std::log1p(-std::pow(0.76, scale - k) * std::pow(0.24, k)));
    double ways = choose;
    for (int d = 0; d <= scale - k; ++d) {  // k levels in the two quadrants of 0.19, d in that of 0.05
      const double p = std::pow(0.19, k) * std::pow(0.05, d) * std::pow(0.57, scale - k - d);
      expected_distinct += std::pow(2, k) * ways * -std::expm1(m * std::log1p(-p));
      ways *= double(scale - k - d) / (d + 1);
    }
    choose *= double(scale - k) / (k + 1);
  }
  EXPECT_NEAR(double(std::count(out.begin(), out.end(), 0)), expected_idle, 5 * std::sqrt(expected_idle));
  std::sort(list.begin(), list.end());
  const auto distinct = double(std::unique(list.begin(), list.end()) - list.begin());
  EXPECT_NEAR(distinct, expected_distinct, 5 * std::sqrt(m - expected_distinct));
}

TEST(Kronecker, RenamesVerticesByThePermutationOfItsSeed) {
  Workers workers(1);
  const EdgeList edges = kronecker(9, 4, 8);
  const auto order = detail::random_permutation(512, 8, workers);
  const RandomStream quadrants(8, RandomStream::kQuadrants);
  for (std::size_t i = 0; i < edges.sources.size(); ++i) {
    const auto [source, destination] = detail::kronecker_edge(quadrants, 9, i);
    ASSERT_EQ(edges.sources[i], order[source]);
    ASSERT_EQ(edges.targets[i], order[destination]);
  }
}

TEST(Kronecker, OfScaleZeroIsOneVertexWithLoops) {
  EXPECT_EQ(pairs(kronecker(0, 3, 1)), (Edges{{0, 0}, {0, 0}, {0, 0}}));
}

TEST(RandomPermutation, IsABijectionAndEveryOrderIsEquallyLikely) {
  Workers workers(2);
  const auto large = detail::random_permutation(100000, 4, workers);
  std::vector<VertexId> sorted(large.begin(), large.end());
  std::sort(sorted.begin(), sorted.end());
  for (VertexId v = 0; v < 100000; ++v) ASSERT_EQ(sorted[v], v);
  std::vector<double> found(24);
  const int trials = 48000;
  for (int seed = 0; seed < trials; ++seed) {
    const auto order = detail::random_permutation(4, seed, workers);
    std::vector<VertexId> left = {0, 1, 2, 3};
    int rank = 0;
    for (int i = 0; i < 4; ++i) {
      const auto at = std::find(left.begin(), left.end(), order[i]);
      rank = rank * (4 - i) + int(at - left.begin());
      left.erase(at);
    }
    ++found[rank];
  }
  expect_uniform(found, trials);
}

TEST(UniformEdges, AreUniformInBothEndsAndTheirPairs) {
  const std::uint64_t n = 20, m = 200000;
  const EdgeList edges = uniform(n, m, 2);
  EXPECT_EQ(edges.num_vertices, n);
  std::vector<double> sources(n), targets(n), both(n * n), successive(n * n);
  VertexId before = 0;
  for (const auto& [source, destination] : pairs(edges)) {
    ++sources[source];
    ++targets[destination];
    ++both[source * n + destination];
    ++successive[before * n + source];
    before = destination;
  }
  for (const auto& found : {sources, targets, both, successive}) expect_uniform(found, m);
}

TEST(UniformEdges, ReachAllVerticesOfTheLargestGraph) {
  const EdgeList edges = uniform(kMostVertices, 100000, 6);
  std::vector<double> found(64);
  for (const VertexId v : edges.targets) ++found[v >> 26];
  expect_uniform(found, 100000);
  EXPECT_GT(*std::max_element(edges.sources.begin(), edges.sources.end()), 0xffff0000u);
  EXPECT_LT(*std::max_element(edges.sources.begin(), edges.sources.end()), kNoVertex);
}

TEST(UniformEdges, MayBeNone) { EXPECT_EQ(uniform(5, 0, 1).sources.size(), 0u); }

TEST(RandomWeights, AreUniformFromLowToHighInclusive) {
  std::vector<double> found(11);
  for (const std::int32_t weight : weights(110000, -5, 5, 9)) ++found.at(weight + 5);
  expect_uniform(found, 110000);
  EXPECT_EQ(weights(3, 7, 7, 1), (std::vector<std::int32_t>{7, 7, 7}));
}

TEST(RandomWeights, CoverAll32Bits) {
  std::vector<double> found(64);
  for (const std::int32_t weight : weights(64000, kLowest, kHighest, 9))
    ++found[(std::int64_t(weight) - kLowest) >> 26];
  expect_uniform(found, 64000);
}

TEST(SymmetricRandomWeights, DependOnTheUnorderedPairAlone) {
  const std::uint64_t n = 300;
  const Writable<std::uint32_t> offsets(n + 1);
  const Writable<VertexId> targets(n * n);
  for (std::uint64_t i = 0; i <= n; ++i) offsets[i] = std::uint32_t(i * n);
  for (std::uint64_t e = 0; e < n * n; ++e) targets[e] = VertexId((e * 7) % n);  // each row all vertices, unsorted
  const Csr csr{VertexId(n), VertexId(n), Offsets(offsets.freeze()), targets.freeze(), {}};
  std::vector<std::vector<std::int32_t>> dense(2, std::vector<std::int32_t>(n * n));
  for (const int num_threads : {1, 2}) {
    Workers workers(num_threads);
    const auto array = symmetric_random_weights(csr, 1, 10, 4, workers);
    ASSERT_EQ(array.size(), n * n);
    for (std::uint64_t e = 0; e < n * n; ++e) dense[num_threads - 1][e / n * n + csr.targets[e]] = array[e];
  }
  EXPECT_EQ(dense[0], dense[1]);
  std::vector<double> found(10);
  for (std::uint64_t i = 0; i < n; ++i) {
    for (std::uint64_t j = 0; j <= i; ++j) {
      ASSERT_EQ(dense[0][i * n + j], dense[0][j * n + i]);
      ++found.at(dense[0][i * n + j] - 1);
    }
  }
  expect_uniform(found, double(n * (n + 1) / 2));
}

// Edges of rows, in storage order.
Edges pairs(const Csr& csr) {
  Edges list;
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) list.emplace_back(v, csr.targets[e]);
  }
  return list;
}

// What a shape must be: the pairs that `is_edge` allows, row by row.
template <class IsEdge>
Edges allowed(VertexId n, const IsEdge& is_edge) {
  Edges list;
  for (VertexId i = 0; i < n; ++i) {
    for (VertexId j = 0; j < n; ++j) {
      if (is_edge(i, j)) list.emplace_back(i, j);
    }
  }
  return list;
}

TEST(Shapes, AreTheEdgesOfTheirDefinition) {
  for (const int threads : {1, 2, 3}) {
    Workers workers(threads);
    for (const VertexId n : {1, 2, 3, 7, 300}) {
      EXPECT_EQ(pairs(chain(n, false, workers)), allowed(n, [](VertexId i, VertexId j) { return j == i + 1; }));
      EXPECT_EQ(pairs(chain(n, true, workers)),
                allowed(n, [](VertexId i, VertexId j) { return j == i + 1 || i == j + 1; }));
      EXPECT_EQ(pairs(star(n, false, workers)), allowed(n, [](VertexId i, VertexId j) { return i == 0 && j > 0; }));
      EXPECT_EQ(pairs(star(n, true, workers)), allowed(n, [](VertexId i, VertexId j) { return (i == 0) != (j == 0); }));
      EXPECT_EQ(pairs(complete(n, workers)), allowed(n, [](VertexId i, VertexId j) { return i != j; }));
      EXPECT_EQ(pairs(acyclic(n, workers)), allowed(n, [](VertexId i, VertexId j) { return i < j; }));
    }
    for (const auto& [rows, columns] :
         {std::pair<VertexId, VertexId>{1, 1}, {1, 6}, {6, 1}, {2, 2}, {3, 5}, {5, 3}, {130, 4}}) {
      const auto right_or_down = [columns = columns](VertexId i, VertexId j) {
        return (j == i + 1 && j % columns != 0) || j == i + columns;
      };
      const VertexId n = rows * columns;
      EXPECT_EQ(pairs(grid(rows, columns, false, workers)), allowed(n, right_or_down)) << rows << " x " << columns;
      EXPECT_EQ(pairs(grid(rows, columns, true, workers)),
                allowed(n, [&](VertexId i, VertexId j) { return right_or_down(i, j) || right_or_down(j, i); }))
          << rows << " x " << columns;
    }
  }
}

TEST(Shapes, HaveValidRows) {
  Workers workers(2);
  validate(grid(1000, 70, true, workers), workers);
  validate(star(200000, true, workers), workers);
  validate(acyclic(1001, workers), workers);
  validate(complete(1000, workers), workers);
}

TEST(Shapes, StopWhenInterrupted) {
  Workers workers(2);
  workers.cancel();
  EXPECT_THROW(grid(10, 10, true, workers), Cancelled);
  EXPECT_THROW(star(10, false, workers), Cancelled);
  EXPECT_THROW(complete(10, workers), Cancelled);
  EXPECT_THROW(rmat_edges(4, 4, {}, false, 1, workers), Cancelled);
}

TEST(Rmat, OfTheGraph500InitiatorIsTheKroneckerGraph) {
  Workers workers(2);
  EXPECT_EQ(pairs(rmat_edges(10, 4, {}, true, 1, workers)), pairs(kronecker(10, 4, 1)));
}

TEST(Rmat, PicksQuadrantsAsToldOnEveryLevel) {
  Workers workers(3);
  const int scale = 9, edge_factor = 400;
  const double m = edge_factor * 512;
  for (const Initiator& initiator :
       {Initiator{0.25, 0.25, 0.25}, Initiator{0.1, 0.2, 0.3}, Initiator{0.45, 0.15, 0.15}}) {
    const EdgeList edges = rmat_edges(scale, edge_factor, initiator, false, 6, workers);
    std::vector<std::vector<double>> found(scale, std::vector<double>(4));
    for (const auto& [source, destination] : pairs(edges)) {
      for (int level = 0; level < scale; ++level)
        ++found[level][2 * (source >> level & 1) + (destination >> level & 1)];
    }
    const auto [a, b, c] = initiator;
    for (const auto& level : found) expect_fits(level, {a * m, b * m, c * m, (1 - a - b - c) * m});
  }
}

TEST(Rmat, NeverEntersAQuadrantOfProbabilityZero) {
  Workers workers(1);
  const auto ends = [&](const Initiator& initiator) { return pairs(rmat_edges(10, 64, initiator, false, 2, workers)); };
  EXPECT_EQ(ends({1, 0, 0}), Edges(65536, {0, 0}));
  EXPECT_EQ(ends({0, 1, 0}), Edges(65536, {0, 1023}));
  EXPECT_EQ(ends({0, 0, 1}), Edges(65536, {1023, 0}));
  EXPECT_EQ(ends({0, 0, 0}), Edges(65536, {1023, 1023}));
  for (const auto& [source, destination] : ends({0.7, 0.2, 0.1})) ASSERT_EQ(source & destination, 0u);
  for (const auto& [source, destination] : ends({0.5, 0, 0})) ASSERT_EQ(source, destination);
}

TEST(Rmat, PutsVerticesInTheOrderOfItsSeed) {
  Workers workers(2);
  const Initiator initiator{0.4, 0.3, 0.2};
  Edges plain = pairs(rmat_edges(9, 4, initiator, false, 8, workers));
  const auto order = detail::random_permutation(512, 8, workers);
  for (auto& [source, destination] : plain) {
    source = order[source];
    destination = order[destination];
  }
  EXPECT_EQ(pairs(rmat_edges(9, 4, initiator, true, 8, workers)), plain);
}

TEST(Rmat, RefusesWhatIsNoProbability) {
  Workers workers(1);
  const auto fault = [&](double a, double b, double c) {
    return input_error([&] { rmat_edges(3, 1, {a, b, c}, true, 1, workers); });
  };
  EXPECT_EQ(fault(0.7, 0.2, 0.1), "no error");
  EXPECT_EQ(fault(-0.5, 0.5, 0.5), "a = -0.5, b = 0.5, c = 0.5; allowed are 0 to 1 each and 1 for the sum");
  EXPECT_EQ(fault(0.5, 0.5, 0.25), "a = 0.5, b = 0.5, c = 0.25; allowed are 0 to 1 each and 1 for the sum");
  EXPECT_NE(fault(0.5, std::nan(""), 0.25).find("b = nan"), std::string::npos);
  EXPECT_NE(fault(0, 0, std::numeric_limits<double>::infinity()).find("c = inf"), std::string::npos);
}

TEST(Shapes, CheckTheirArgumentsBeforeTheyTakeMemory) {
  Workers workers(1);
  EXPECT_EQ(input_error([&] { star(0, true, workers); }), "num_vertices 0; allowed are 1 to 4294967295");
  EXPECT_EQ(input_error([&] { chain(1ull << 32, true, workers); }),
            "num_vertices 4294967296; allowed are 1 to 4294967295");
  EXPECT_EQ(input_error([&] { complete(~0ull, workers); }),
            "num_vertices 18446744073709551615; allowed are 1 to 4294967295");
  EXPECT_EQ(input_error([&] { acyclic(0, workers); }), "num_vertices 0; allowed are 1 to 4294967295");
  EXPECT_EQ(input_error([&] { grid(0, 5, true, workers); }), "rows 0; allowed are 1 to 4294967295");
  EXPECT_EQ(input_error([&] { grid(5, 0, true, workers); }),
            "columns 0; allowed are 1 to 858993459 for a grid of 5 rows");
  EXPECT_EQ(input_error([&] { grid(1ull << 16, 1ull << 16, true, workers); }),
            "columns 65536; allowed are 1 to 65535 for a grid of 65536 rows");
  EXPECT_THROW(complete(kMostVertices, workers), CapacityError);
  EXPECT_THROW(acyclic(kMostVertices - 1, workers), CapacityError);
  EXPECT_THROW(complete(1u << 22, workers), CapacityError);
}

TEST(Generate, ChecksItsArguments) {
  Workers workers(1);
  EXPECT_EQ(input_error([] { kronecker(-1, 1, 0); }), "scale -1; allowed are 0 to 31");
  EXPECT_EQ(input_error([] { kronecker(32, 1, 0); }), "scale 32; allowed are 0 to 31");
  EXPECT_EQ(input_error([] { kronecker(3, 0, 0); }), "edge_factor 0; allowed are 1 to 137438953472 at scale 3");
  EXPECT_EQ(input_error([] { kronecker(31, 513, 0); }), "edge_factor 513; allowed are 1 to 512 at scale 31");
  EXPECT_EQ(input_error([] { uniform(0, 1, 0); }), "num_vertices 0; allowed are 1 to 4294967295");
  EXPECT_EQ(input_error([] { uniform(4294967296, 1, 0); }), "num_vertices 4294967296; allowed are 1 to 4294967295");
  EXPECT_EQ(input_error([] { uniform(1, ~0ull, 0); }),
            "num_edges 18446744073709551615; allowed are 0 to 1099511627776");
  EXPECT_EQ(input_error([] { weights(1, 5, 4, 0); }), "weights from low = 5 to high = 4; low must be <= high");
  EXPECT_EQ(input_error([] { weights(~0ull, 1, 4, 0); }),
            "18446744073709551615 weights; allowed are 0 to 1099511627776");
  Csr wide;
  wide.num_rows = 2;
  wide.num_columns = 3;
  EXPECT_EQ(input_error([&] { symmetric_random_weights(wide, 1, 2, 0, workers); }),
            "symmetric weights for a matrix of 2 x 3; it must be square");
}

}  // namespace
}  // namespace gaspipe
