// SPDX-License-Identifier: Apache-2.0
// Thirds in single precision: added one after the other, a million of them sum to several percent too much.
#include "gaspipe/engine/long_sums.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

template <class Number>
struct ThirdHooks {
  using Property = Number;
  static constexpr int kAux = 0;
  static Property preprocessProperty(Property p) { return p; }
  static Property scatterFunc(Property p, Property) { return p; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a + b; }
  static Property gatherFunc(Property a, Property b) { return a + b; }
  static Property applyMerge(Property a, Property b) { return a + b; }
  static Property applyFunc(Property tProp, Property, Property, unsigned&, unsigned) { return tProp; }
};
template <class Number>
struct FilteringHooks : ThirdHooks<Number> {
  static bool isActive(Number update) { return update > 0; }
};
template <class Number, class TheHooks>
struct Thirds {
  using Hooks = TheHooks;
  using Value = Number;
  const Context<NoParameters>& context;
  Number initial(VertexId v) const { return (v % 16 + 1) / Number(3); }
  Until until(int, const std::uint64_t*) const { return Until::kDone; }
  Value finish(Number p, VertexId) const { return p; }
};
template <class Number>
using ThirdProgram = Thirds<Number, ThirdHooks<Number>>;
template <class Number>
using FilteringProgram = Thirds<Number, FilteringHooks<Number>>;

// Vertex 0 is where most edges lead; others at the end of every partition of 2^16; all between short rows.
Csr hubs(VertexId num_vertices) {
  Edges edges = random_edges(num_vertices, num_vertices, 11);
  for (VertexId v = 0; v < num_vertices; ++v) {
    edges.emplace_back(v, 0);
    if (v % 3 == 0) edges.emplace_back(v, num_vertices - 1);
    if (v > num_vertices - 40000) edges.emplace_back(v, (1 << 16) - 1);  // all of them late in the stream
  }
  for (int i = 0; i < 9000; ++i) edges.emplace_back(7, 9);  // parallel ones, which meet on their way
  return csr_of(num_vertices, edges);
}

template <class Number>
std::vector<double> plain_sums(const Csr& csr) {
  std::vector<double> sums(csr.num_rows, 0);
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    const auto third = static_cast<double>((v % 16 + 1) / Number(3));
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[std::size_t(v) + 1]; ++e) sums[csr.targets[e]] += third;
  }
  return sums;
}

template <class Number>
void expect_sums(const abi::Program& program, const Graph& graph, const std::vector<double>& expected,
                 const RunOptions& options, double most_relative_error) {
  const auto sums = values_of<Number>(run(program, graph, {}, options));
  ASSERT_EQ(sums.size(), expected.size());
  double worst = 0;
  for (std::size_t v = 0; v < expected.size(); ++v) {
    if (expected[v] > 0) worst = std::max(worst, std::abs(sums[v] / expected[v] - 1));
  }
  EXPECT_LE(worst, most_relative_error) << options.method << ", " << options.num_threads << " threads";
}

TEST(LongSums, OfFloatsAreAsGoodAsShortOnes) {
  const Csr csr = hubs(140000);  // three partitions of 2^16
  const std::vector<double> expected = plain_sums<float>(csr);
  const Graph graph(csr);
  const double allowed = 512 * std::ldexp(1.0, -24);
  for (const auto* program :
       {&program_of<ThirdProgram, float>("thirds"), &program_of<FilteringProgram, float>("filtered_thirds")}) {
    RunOptions pulled;
    pulled.num_threads = 2;
    expect_sums<float>(*program, graph, expected, pulled, allowed);
    for (const auto& [capacity, units] : {std::pair(1u << 16, 1u), std::pair(1u << 16, 3u), std::pair(1u << 19, 1u)}) {
      expect_sums<float>(*program, graph, expected, gas(capacity, units, 2), allowed);
    }
  }
}

TEST(LongSums, AreTheSameBitsForAnyNumberOfThreads) {
  const Graph graph(hubs(100000));
  const auto& program = program_of<ThirdProgram, float>("thirds");
  for (const std::string method : {"auto", "gas"}) {
    RunOptions options = method == "gas" ? gas(1 << 14, 2) : RunOptions();
    options.num_threads = 1;
    const auto one = values_of<float>(run(program, graph, {}, options));
    for (const int threads : {2, 7}) {
      options.num_threads = threads;
      EXPECT_EQ(values_of<float>(run(program, graph, {}, options)), one) << method << ", " << threads;
    }
  }
}

TEST(LongSums, MergePartialSumsOfEqualSize) {
  // What a merge joins, by the number of partial sums in each of its sides.
  struct Sizes {
    using Property = std::uint32_t;
    static Property applyMerge(Property a, Property b) {
      EXPECT_EQ(a, b);
      return a + b;
    }
  };
  std::uint32_t partials[8];
  for (std::uint64_t count = 0; count < 200; ++count) engine::push_partial<Sizes>(partials, count, std::uint32_t(1));
  struct Any {
    static std::uint32_t applyMerge(std::uint32_t a, std::uint32_t b) { return a + b; }
  };
  EXPECT_EQ(engine::join_partials<Any>(partials, 200, std::uint32_t(5)), 205u);
}

}  // namespace
}  // namespace gaspipe
