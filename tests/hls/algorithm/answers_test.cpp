// SPDX-License-Identifier: Apache-2.0
// Whole answers of programs, run by a plain serial loop, against searches by queue, relaxation until nothing changes
// and dense iteration in doubles.
#include <cmath>
#include <limits>
#include <queue>

#include "hls/algorithm/article_rank.h"
#include "hls/algorithm/bfs.h"
#include "hls/algorithm/closeness.h"
#include "hls/algorithm/pagerank.h"
#include "hls/algorithm/spmv.h"
#include "hls/algorithm/sssp.h"
#include "hls/algorithm/wcc.h"
#include "hls/algorithm/weighted_pagerank.h"
#include "tests/hls/algorithm/serial.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;
using Numbers = std::vector<double>;

struct Sample {
  Edges edges;
  Csr rows;
};
Sample sample(VertexId n, std::size_t m, unsigned seed) {
  Edges edges = random_edges(n, m, seed);
  std::sort(edges.begin(), edges.end());
  return {edges, csr_of(n, edges)};
}

// Hops from a vertex; -1 where it does not lead.
std::vector<int> hops(VertexId n, const Edges& edges, VertexId root) {
  std::vector<int> depth(n, -1);
  std::queue<VertexId> queue;
  depth[root] = 0;
  for (queue.push(root); !queue.empty(); queue.pop()) {
    for (const auto& [from, to] : edges) {
      if (from != queue.front() || depth[to] >= 0) continue;
      depth[to] = depth[from] + 1;
      queue.push(to);
    }
  }
  return depth;
}

TEST(Answers, BreadthFirstSearchCountsHops) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Sample graph = sample(60, 90, seed);
    algorithm::bfs::Parameters parameters;
    parameters.root = 10 * seed - 1;
    const auto found = serial::run<algorithm::bfs::Program, std::uint32_t>(graph.rows, parameters);
    const std::vector<int> wanted = hops(60, graph.edges, parameters.root);
    EXPECT_EQ(found.values, Numbers(wanted.begin(), wanted.end()));
    EXPECT_EQ(found.steps, *std::max_element(wanted.begin(), wanted.end()) + 1);
    EXPECT_EQ(found.until, Until::kDone);
  }
}

template <class Number>
void check_distances() {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const Sample graph = sample(60, 150, seed);
    Numbers weights, wanted(60, std::numeric_limits<double>::infinity());
    for (std::size_t e = 0; e < 150; ++e) weights.push_back(e * 7 % 11);
    wanted[3] = 0;
    for (int i = 0; i < 60; ++i) {
      for (std::size_t e = 0; e < 150; ++e) {
        const auto& [from, to] = graph.edges[e];
        wanted[to] = std::min(wanted[to], wanted[from] + weights[e]);
      }
    }
    if (!std::is_floating_point_v<Number>) std::replace(wanted.begin(), wanted.end(), HUGE_VAL, -1.0);
    algorithm::sssp::Parameters parameters;
    parameters.root = 3;
    const auto found = serial::run<algorithm::sssp::Program, Number>(graph.rows, parameters, weights);
    EXPECT_EQ(found.values, wanted);
    EXPECT_LE(found.steps, 60);
    EXPECT_EQ(found.until, Until::kDone);
  }
}
TEST(Answers, ShortestPathsAreThoseOfRelaxation) {
  check_distances<std::uint32_t>();
  check_distances<std::uint64_t>();
  check_distances<float>();
  check_distances<double>();
}

TEST(Answers, ShortestPathsEndWhereTheirNumbersDo) {
  const Csr rows = csr_of(3, {{0, 1}, {1, 2}});
  const algorithm::sssp::Parameters root;
  const auto last = [&](double first, double second) {
    return serial::run<algorithm::sssp::Program, std::uint32_t>(rows, root, {first, second}).values[2];
  };
  EXPECT_EQ(last(2147483647, 2147483647), 4294967294);
  EXPECT_EQ(last(2147483647, 2147483648), -1);
  EXPECT_EQ(last(4294967294, 0), 4294967294);
  EXPECT_EQ(last(4294967294, 1), -1);
  constexpr double kTwoTo62 = 4611686018427387904;
  const auto wide = [&](double second) {
    return serial::run<algorithm::sssp::Program, std::uint64_t>(rows, root, {kTwoTo62, second}).values[2];
  };
  EXPECT_EQ(wide(kTwoTo62 - 512), 2 * kTwoTo62 - 512);
  EXPECT_EQ(wide(kTwoTo62), -1);
}

TEST(Answers, ComponentsAreNamedByTheirSmallestVertex) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Edges edges = random_edges(80, 50, seed), both = edges;
    for (const auto& [from, to] : edges) both.emplace_back(to, from);
    const algorithm::wcc::Parameters none;
    const auto found = serial::run<algorithm::wcc::Program, std::uint32_t>(csr_of(80, both), none);
    std::vector<VertexId> wanted(80);  // by joining sets
    for (VertexId v = 0; v < 80; ++v) wanted[v] = v;
    for (const auto& [from, to] : edges) {
      const VertexId kept = std::min(wanted[from], wanted[to]), gone = std::max(wanted[from], wanted[to]);
      std::replace(wanted.begin(), wanted.end(), gone, kept);
    }
    EXPECT_EQ(found.values, Numbers(wanted.begin(), wanted.end()));
    EXPECT_LE(found.steps, 80);
  }
}

template <class Number>
void check_products() {
  const Sample graph = sample(40, 200, 5);
  std::vector<Number> x;
  for (VertexId v = 0; v < 38; ++v) x.push_back(static_cast<Number>(v * 5 % 13) - 6);  // the last two have none
  Numbers weights, wanted(40);
  for (std::size_t e = 0; e < 200; ++e) weights.push_back(static_cast<double>(e % 9) - 4);
  for (std::size_t e = 0; e < 200; ++e) {
    const auto& [from, to] = graph.edges[e];
    if (from < 38) wanted[to] += weights[e] * static_cast<double>(x[from]);
  }
  algorithm::spmv::Parameters parameters;
  parameters.x.data = x.data();
  parameters.x.size = x.size();
  const auto found = serial::run<algorithm::spmv::Program, Number>(graph.rows, parameters, weights);
  EXPECT_EQ(found.values, wanted);
  EXPECT_EQ(found.steps, 1);
}
TEST(Answers, ProductsAreSumsOverEdges) {
  check_products<std::int32_t>();
  check_products<std::int64_t>();
  check_products<float>();
  check_products<double>();
}

template <class Number>
void check_closeness(bool improved, const std::vector<VertexId>& asked) {
  const Sample graph = sample(70, 110, 8);
  algorithm::closeness::Parameters parameters;
  parameters.wf_improved = improved;
  parameters.vertices.data = asked.empty() ? nullptr : asked.data();
  parameters.vertices.size = asked.size();
  const auto found = serial::run<algorithm::closeness::Program, Number>(graph.rows, parameters);
  EXPECT_EQ(found.until, Until::kDone);
  for (VertexId v = 0; v < 70; ++v) {
    if (!asked.empty() && std::count(asked.begin(), asked.end(), v) == 0) {
      EXPECT_EQ(found.values[v], -7);
      continue;
    }
    double reached = 0, farness = 0;
    for (const int depth : hops(70, graph.edges, v)) {
      reached += depth > 0;
      farness += std::max(depth, 0);
    }
    const double closeness = reached == 0 ? 0 : reached / farness;
    EXPECT_DOUBLE_EQ(found.values[v], improved ? closeness * (reached / 69) : closeness) << v;
  }
}
TEST(Answers, ClosenessIsThatOfSearchesOneByOne) {
  check_closeness<std::uint64_t>(true, {});
  check_closeness<std::uint32_t>(false, {});
  check_closeness<std::uint32_t>(true, {69, 0, 68, 33, 4, 67, 1, 50});
  check_closeness<BitSet<512>>(true, {5});
}

// PageRank by its definition, in doubles: each step's ranks from those before.
struct Iterated {
  Numbers rank;
  int steps = 0;
  bool converged = false;
};
Iterated iterate(VertexId n, const Edges& edges, const Numbers& probability, double damping, double tol, int most,
                 const Numbers& teleport) {
  Iterated found{Numbers(n, 1.0 / n)};
  std::vector<bool> dangling(n, true);
  for (const auto& edge : edges) dangling[edge.first] = false;
  while (found.steps < most && !found.converged) {
    double lost = 0, change = 0;
    for (VertexId v = 0; v < n; ++v) lost += dangling[v] ? found.rank[v] : 0;
    Numbers next(n);
    for (VertexId v = 0; v < n; ++v) next[v] = (1 - damping + damping * lost) * teleport[v];
    for (std::size_t e = 0; e < edges.size(); ++e)
      next[edges[e].second] += damping * found.rank[edges[e].first] * probability[e];
    for (VertexId v = 0; v < n; ++v) change += std::abs(next[v] - found.rank[v]);
    found.rank = next;
    ++found.steps;
    found.converged = tol > 0 && change <= tol;
  }
  return found;
}

constexpr double kTwoTo31 = 2147483648.0;

template <template <class> class Program, class Number, class Parameters>
void check_ranks(const Parameters& given, bool weighted, double tolerance, unsigned seed) {
  const VertexId n = 50;
  Sample graph = sample(n, 100, seed);
  for (auto& edge : graph.edges) edge.first = std::max<VertexId>(edge.first, 1);  // the first vertex has no out-edges
  graph.rows = csr_of(n, graph.edges);
  Numbers probability, total(n), teleport(n, 1.0 / n);
  for (std::size_t e = 0; e < 100; ++e) total[graph.edges[e].first] += weighted ? 1 + e % 5 : 1;
  for (std::size_t e = 0; e < 100; ++e) probability.push_back((weighted ? 1 + e % 5 : 1) / total[graph.edges[e].first]);
  if (given.personalization.data != nullptr) {
    teleport.assign(given.personalization.data, given.personalization.data + n);
    double sum = 0;
    for (const double share : teleport) sum += share;
    for (double& share : teleport) share /= sum;
  }
  constexpr bool fixed = std::is_same_v<Number, Fixed<32>>;
  Numbers words = probability;
  if (fixed) std::transform(words.begin(), words.end(), words.begin(), [](double p) { return p * kTwoTo31; });
  const int scale = Program<Number>::scale_bits(n, 100);
  EXPECT_EQ(scale, 36);  // 1/50 < 2^-5; some ranks here are larger than 2^-4, none than 2^-1
  const Parameters parameters = given;
  const auto found = serial::run<Program, Number>(graph.rows, parameters, words, scale - 3);
  const Iterated wanted = iterate(n, graph.edges, probability, given.damping, given.tol, given.max_iter, teleport);
  EXPECT_EQ(found.steps, wanted.steps);
  EXPECT_EQ(found.until, given.tol == 0 || wanted.converged ? Until::kDone : Until::kNotConverged);
  for (VertexId v = 0; v < n; ++v) EXPECT_NEAR(found.values[v], wanted.rank[v], tolerance) << v;
}

template <template <class> class Program, class Parameters>
void check_all_ranks(bool weighted) {
  Numbers wishes;
  for (int v = 0; v < 50; ++v) wishes.push_back((v + 1) % 4);
  for (const bool personal : {false, true}) {
    for (const auto& [damping, tol, most] :
         {std::tuple{0.85, 1e-4, 100}, {0.5, 0.0, 7}, {0.9, 1e-4, 5}, {1.0, 0.0, 1}}) {
      Parameters parameters;
      parameters.damping = damping;
      parameters.tol = tol;
      parameters.max_iter = most;
      if (personal) parameters.personalization.data = wishes.data();
      if (personal) parameters.personalization.size = 50;
      for (unsigned seed = 1; seed <= 2; ++seed) {
        check_ranks<Program, double>(parameters, weighted, 1e-14, seed);
        check_ranks<Program, float>(parameters, weighted, 1e-6, seed);
        check_ranks<Program, Fixed<32>>(parameters, weighted, 2e-7, seed);
      }
    }
  }
}
TEST(Answers, PageRanksAreThoseOfDenseIteration) {
  check_all_ranks<algorithm::pagerank::Program, algorithm::pagerank::Parameters>(false);
  check_all_ranks<algorithm::weighted_pagerank::Program, algorithm::weighted_pagerank::Parameters>(true);
}

// In a star more than half of the rank arrives at the hub: a word of 32 bits after the point holds it, one of 33 does
// not.
TEST(Answers, FixedPointCountsWhatItCannotHold) {
  Edges edges;
  for (VertexId v = 1; v < 40; ++v) edges.insert(edges.end(), {{v, 0}, {0, v}});
  const Csr rows = csr_of(40, edges);
  algorithm::pagerank::Parameters parameters;
  const auto saturated = [&](int scale) {
    return serial::run<algorithm::pagerank::Program, Fixed<32>>(rows, parameters, {}, scale).sums[2];
  };
  EXPECT_EQ(saturated(32), 0);
  EXPECT_EQ(saturated(33), 1);
}

TEST(Answers, ArticleRanksAreThoseOfDenseIteration) {
  for (const auto& [damping, tol, most] : {std::tuple{0.85, 1e-4, 100}, {0.5, 0.0, 7}, {0.9, 1e-4, 3}}) {
    const Sample graph = sample(50, 130, 3);
    Numbers degree(50), wanted(50, 1 - damping);
    for (const auto& edge : graph.edges) ++degree[edge.first];
    int steps = 0;
    bool converged = false;
    while (steps < most && !converged) {
      Numbers next(50, 1 - damping);
      double change = 0;
      for (const auto& [from, to] : graph.edges) next[to] += damping * wanted[from] / (degree[from] + 130.0 / 50);
      for (VertexId v = 0; v < 50; ++v) change += std::abs(next[v] - wanted[v]);
      wanted = next;
      ++steps;
      converged = tol > 0 && change <= tol;
    }
    algorithm::article_rank::Parameters parameters;
    parameters.damping = damping;
    parameters.tol = tol;
    parameters.max_iter = most;
    const Until until = tol == 0 || converged ? Until::kDone : Until::kNotConverged;
    const auto check = [&](const auto& found, double tolerance) {
      EXPECT_EQ(found.steps, steps);
      EXPECT_EQ(found.until, until);
      for (VertexId v = 0; v < 50; ++v) EXPECT_NEAR(found.values[v], wanted[v], tolerance) << v;
    };
    check(serial::run<algorithm::article_rank::Program, double>(graph.rows, parameters), 1e-14);
    check(serial::run<algorithm::article_rank::Program, float>(graph.rows, parameters), 1e-6);
    // Divisors have 16 bits after the point: 2^-17 of at least 3.6.
    check(serial::run<algorithm::article_rank::Program, Fixed<32>>(graph.rows, parameters, {}, 31), 1e-5);
  }
}

TEST(Answers, PersonalizationsWithoutASumAreRefused) {
  const Csr rows = csr_of(2, {{0, 1}});
  const auto problem = [&](Numbers wishes, bool weights) -> std::string {
    Context<algorithm::pagerank::Parameters> context;
    context.num_vertices = 2;
    context.num_edges = 1;
    context.offsets = rows.offsets.data();
    context.parameters.weights = weights;
    context.parameters.personalization.data = wishes.empty() ? nullptr : wishes.data();
    context.parameters.personalization.size = wishes.size();
    const char* text = algorithm::pagerank::Program<double>{context}.problem();
    return text == nullptr ? "" : std::string(text).substr(0, 28);
  };
  EXPECT_EQ(problem({}, false), "");
  EXPECT_EQ(problem({}, true), "weights: the program that re");
  EXPECT_EQ(problem({1, 0}, false), "");
  EXPECT_EQ(problem({0, 0}, false), "personalization sums to 0; g");
  EXPECT_EQ(problem({1e308, 1e308}, false), "personalization sums to more");
  EXPECT_EQ(problem({1e308, 7e307}, false), "");
  EXPECT_EQ(problem({1.7976931348623157e308, 0}, false), "");
}

}  // namespace
}  // namespace gaspipe
