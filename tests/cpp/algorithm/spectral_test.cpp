// SPDX-License-Identifier: Apache-2.0
// Katz, eigenvector and HITS centralities, by one thread and several: what they converge to satisfies its equation.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "gaspipe/cpu_algorithm.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using testing::Edges;
using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

constexpr std::int64_t kEnough = 20000;

// A graph of random edges, self-loops and parallel ones among them, that is strongly connected.
struct Case {
  VertexId n;
  Edges edges;
  Vector weights;

  Graph graph(bool is_weighted) const {
    EdgeList list = testing::edge_list(n, edges);
    if (is_weighted) list.weights = testing::array(weights);
    Workers workers(1);
    return Graph(build_csr(list, n, workers));
  }
  // Parallel edges summed.
  Matrix matrix(bool is_weighted) const {
    Matrix sums(n, Vector(n, 0));
    for (std::size_t e = 0; e < edges.size(); ++e)
      sums[edges[e].first][edges[e].second] += is_weighted ? weights[e] : 1;
    return sums;
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (unsigned seed = 0; seed < 4; ++seed) {
    Case one{30, testing::random_edges(30, 60 + 60 * seed, seed), {}};
    for (VertexId v = 0; v < one.n; ++v) one.edges.push_back({v, (v + 1) % one.n});
    one.edges.push_back({3, 3});
    std::mt19937 random(seed);
    for (std::size_t e = 0; e < one.edges.size(); ++e) one.weights.push_back(0.25 + random() % 8);
    all.push_back(one);
  }
  return all;
}

// The sums over the edges into every vertex.
Vector times(const Matrix& matrix, const Vector& x, bool into) {
  Vector sums(x.size(), 0);
  for (std::size_t u = 0; u < x.size(); ++u) {
    for (std::size_t v = 0; v < x.size(); ++v) (into ? sums[v] : sums[u]) += matrix[u][v] * (into ? x[u] : x[v]);
  }
  return sums;
}
Vector scaled(Vector x, double divisor) {
  for (double& value : x) value /= divisor;
  return x;
}
double sum(const Vector& x) { return std::accumulate(x.begin(), x.end(), 0.0); }
double norm(const Vector& x) { return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0)); }

void expect_near(const Vector& found, const Vector& wanted, double most) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t v = 0; v < found.size(); ++v) EXPECT_NEAR(found[v], wanted[v], most) << v;
}

struct Answers {
  std::vector<Vector> fields;
  bool converged;
  std::string remedy;
  std::int64_t num_steps;
};

Answers answers(const char* name, const Graph& graph, int num_threads, const Arguments& arguments) {
  const CpuResult result = run(find_cpu_algorithm(name), graph, arguments, {num_threads, {}});
  Answers found{{}, result.stats.converged, result.remedy, 0};
  for (const AnswerValue& value : result.values) {
    if (&value == &result.values.back()) {
      found.num_steps = *static_cast<const std::int64_t*>(value.data);
    } else {
      const double* const first = static_cast<const double*>(value.data);
      found.fields.emplace_back(first, first + value.size);
    }
  }
  return found;
}

// Calls test(matrix, graph, weights, threads).
template <class Test>
void each_case(const Test& test) {
  for (const Case& one : cases()) {
    for (const bool is_weighted : {false, true}) {
      for (const int num_threads : {1, 3}) {
        test(one.matrix(is_weighted), one.graph(true), std::int64_t(is_weighted), num_threads);
      }
    }
  }
}

TEST(Spectral, KatzSolvesItsEquation) {
  each_case([](const Matrix& matrix, const Graph& graph, std::int64_t weights, int num_threads) {
    const double alpha = 0.005, beta = 1.5;
    const Answers found = answers("katz", graph, num_threads,
                                  {{"alpha", alpha},
                                   {"beta", beta},
                                   {"tol", 1e-16},
                                   {"max_iter", kEnough},
                                   {"normalized", std::int64_t(0)},
                                   {"weights", weights}});
    const Vector& x = found.fields[0];
    Vector wanted = times(matrix, x, true);
    for (double& value : wanted) value = alpha * value + beta;
    expect_near(x, wanted, 1e-12);
    EXPECT_TRUE(found.converged);
    const Answers unit =
        answers("katz", graph, num_threads,
                {{"alpha", alpha}, {"beta", beta}, {"tol", 1e-16}, {"max_iter", kEnough}, {"weights", weights}});
    expect_near(unit.fields[0], scaled(x, norm(x)), 1e-12);
  });
}

TEST(Spectral, EigenvectorsKeepTheirDirection) {
  each_case([](const Matrix& matrix, const Graph& graph, std::int64_t weights, int num_threads) {
    const Answers found =
        answers("eigenvector", graph, num_threads, {{"tol", 1e-16}, {"max_iter", kEnough}, {"weights", weights}});
    const Vector& x = found.fields[0];
    EXPECT_NEAR(norm(x), 1, 1e-14);
    const Vector next = times(matrix, x, true);
    expect_near(x, scaled(next, norm(next)), 1e-11);
    const Array<double> start = testing::array(Vector(x.rbegin(), x.rend()));
    const Answers again = answers("eigenvector", graph, num_threads,
                                  {{"tol", 1e-16}, {"max_iter", kEnough}, {"weights", weights}, {"nstart", start}});
    expect_near(again.fields[0], x, 1e-11);
  });
}

TEST(Spectral, HubsAndAuthoritiesMakeEachOther) {
  each_case([](const Matrix& matrix, const Graph& graph, std::int64_t weights, int num_threads) {
    const Answers found =
        answers("hits", graph, num_threads, {{"tol", 1e-15}, {"max_iter", kEnough}, {"weights", weights}});
    const Vector &hub = found.fields[0], &authority = found.fields[1];
    const Vector from_hubs = times(matrix, hub, true), from_authorities = times(matrix, authority, false);
    expect_near(authority, scaled(from_hubs, sum(from_hubs)), 1e-12);
    expect_near(hub, scaled(from_authorities, sum(from_authorities)), 1e-12);
  });
}

TEST(Spectral, ARunThatEndsAboveItsToleranceSaysSo) {
  const Graph graph = cases()[0].graph(false);
  for (const char* name : {"katz", "eigenvector", "hits"}) {
    const Answers short_of = answers(name, graph, 1, {{"max_iter", std::int64_t(2)}});
    EXPECT_FALSE(short_of.converged) << name;
    EXPECT_NE(short_of.remedy, "") << name;
    EXPECT_EQ(short_of.num_steps, 2) << name;
    const Answers as_asked = answers(name, graph, 1, {{"max_iter", std::int64_t(2)}, {"tol", 0.0}});
    EXPECT_TRUE(as_asked.converged) << name;
    EXPECT_EQ(as_asked.fields, short_of.fields) << name;
  }
  const Answers whole = answers("katz", graph, 1, {{"alpha", 0.01}});
  EXPECT_TRUE(whole.converged);
  EXPECT_EQ(whole.remedy, "");
}

TEST(Spectral, ThreadsDoNotChangeABit) {
  const VertexId n = 5000;
  const Graph graph = testing::graph_of(n, testing::random_edges(n, 60000, 5));
  for (const char* name : {"katz", "eigenvector", "hits"}) {
    const Arguments arguments = {{"max_iter", std::int64_t(12)}, {"tol", 0.0}};
    const Answers one = answers(name, graph, 1, arguments);
    for (const int num_threads : {2, 3}) EXPECT_EQ(answers(name, graph, num_threads, arguments).fields, one.fields);
  }
}

TEST(Spectral, WeightsAreCheckedWhereTheyAreRead) {
  for (const double weight : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    Case one{4, {{0, 1}, {2, 3}, {3, 0}}, {1, weight, 2}};
    const Graph graph = one.graph(true);
    for (const char* name : {"katz", "eigenvector", "hits"}) {
      const Arguments with = {{"weights", std::int64_t(1)}}, without = {{"weights", std::int64_t(0)}};
      EXPECT_NO_THROW(answers(name, graph, 1, without)) << name;
      if (weight == -1 && name == std::string("katz")) {
        EXPECT_NO_THROW(answers(name, graph, 1, with));
      } else {
        EXPECT_THROW(answers(name, graph, 1, with), InputError) << name;
      }
    }
  }
}

}  // namespace
}  // namespace gaspipe
