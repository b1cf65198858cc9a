// SPDX-License-Identifier: Apache-2.0
// Every hook leaves a mark of its own in the value that passes it; the answer shows which hook saw which value.
#include "gaspipe/engine/gas_step.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

enum Mark : std::uint32_t {
  kPreprocessed = 1 << 0,
  kScattered = 1 << 1,
  kMergedInRaw = 1 << 2,
  kGathered = 1 << 3,
  kMergedInApply = 1 << 4,
  kApplied = 1 << 5,
};

template <class Number>
struct MarkHooks {
  using Property = Number;
  static constexpr int kAux = 0;
  static Property preprocessProperty(Property p) { return p | kPreprocessed; }
  static Property scatterFunc(Property p, Property) { return p | kScattered; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a | b | kMergedInRaw; }
  static Property gatherFunc(Property a, Property update) { return a | update | kGathered; }
  static Property applyMerge(Property a, Property b) { return a | b | kMergedInApply; }
  static Property applyFunc(Property tProp, Property, Property, unsigned&, unsigned) { return tProp | kApplied; }
};

template <class Number>
struct MarkProgram {
  using Hooks = MarkHooks<Number>;
  using Value = std::uint32_t;
  const Context<NoParameters>& context;
  Number initial(VertexId) const { return 0; }
  Until until(int, const std::uint64_t*) const { return Until::kDone; }
  Value finish(Number p, VertexId) const { return p; }
};

// 0 -> 1, 0 -> 2 twice in a row, nothing into 0; 3 alone.
const Edges kEdges = {{0, 1}, {0, 2}, {0, 2}};

std::vector<std::uint32_t> marks(std::uint32_t capacity, std::uint32_t units, int threads = 1) {
  const auto& program = program_of<MarkProgram, std::uint32_t>("marks");
  return values_of<std::uint32_t>(run(program, graph_of(4, kEdges), {}, gas(capacity, units, threads)));
}

TEST(GasStep, CallsEveryHookAtItsOwnStage) {
  const std::uint32_t path = kPreprocessed | kScattered | kGathered;
  const auto one_unit = marks(4, 1);
  EXPECT_EQ(one_unit[0], kApplied) << "no edge leads here: only apply";
  EXPECT_EQ(one_unit[1], path | kApplied);
  EXPECT_EQ(one_unit[2], path | kMergedInRaw | kApplied) << "two updates in a row meet in the RAW solver";
  EXPECT_EQ(one_unit[3], kApplied);
}

TEST(GasStep, MergesTheComputeUnitsOfAPartition) {
  for (int threads : {1, 2}) {
    const auto two_units = marks(4, 2, threads);
    EXPECT_EQ(two_units[0], kMergedInApply | kApplied);
    EXPECT_EQ(two_units[1], kPreprocessed | kScattered | kGathered | kMergedInApply | kApplied);
    // Two edges for unit 0 (0 -> 1, 0 -> 2), one for unit 1: the parallel edges no longer meet before applyMerge.
    EXPECT_EQ(two_units[2], kPreprocessed | kScattered | kGathered | kMergedInApply | kApplied);
  }
}

TEST(GasStep, MarksDoNotDependOnThePartitions) {
  EXPECT_EQ(marks(1, 1), marks(4, 1));
  EXPECT_EQ(marks(3, 1, 2), marks(4, 1));
}

// Counts what apply is given: aux, extra and arg in their array forms.
struct TripleArg {
  std::uint32_t step;
  std::uint32_t last_sum;
};
template <class Number>
struct WideHooks {
  using Property = Number;
  using Update = std::uint64_t;  // other than Property
  using Extra = std::uint64_t;
  using Arg = TripleArg;
  using Aux = std::uint32_t;
  static constexpr int kAux = 3, kExtras = 2;
  static Property preprocessProperty(Property p) { return p; }
  static Update scatterFunc(Property p, Property) { return (Update(1) << 32) + p; }  // counts edges above the words
  static Update updateMergeInRAWSolver(Update a, Update b) { return a + b; }
  static Update gatherFunc(Update a, Update b) { return a + b; }
  static Update applyMerge(Update a, Update b) { return a + b; }
  static Property applyFunc(Update tProp, Property source, const Aux (&aux)[kAux], Extra (&extra)[kExtras], Arg arg) {
    extra[0] += 1;
    extra[1] += tProp >> 32;
    return source + aux[0] + 10 * aux[1] + 100 * aux[2] + 10000 * arg.step + 100000 * arg.last_sum;
  }
};
template <class Number>
struct WideProgram {
  using Hooks = WideHooks<Number>;
  using Value = std::uint64_t;
  const Context<NoParameters>& context;
  Number initial(VertexId v) const { return v; }
  std::uint32_t aux(int k, VertexId v) const { return k == 0 ? static_cast<std::uint32_t>(context.out_degree(v)) : k; }
  TripleArg arg(int step, const std::uint64_t* sums) const { return {std::uint32_t(step), std::uint32_t(sums[1])}; }
  Until until(int step, const std::uint64_t* sums) const {
    EXPECT_EQ(sums[0], context.num_vertices);
    EXPECT_EQ(sums[1], context.num_edges);
    return step == 1 ? Until::kNotConverged : Until::kGoOn;
  }
  Value finish(Number p, VertexId) const { return p; }
};

TEST(GasStep, HandsOverAuxExtrasAndArg) {
  const auto& program = program_of<WideProgram, std::uint32_t>("wide");
  for (std::uint32_t units : {1, 3}) {
    for (int threads : {1, 2}) {
      const Result result = run(program, graph_of(4, kEdges), {}, gas(2, units, threads));
      EXPECT_FALSE(result.stats.converged);
      ASSERT_EQ(result.stats.supersteps.size(), 2u);
      const std::uint64_t both_steps = 2 * (10 + 200) + 10000 + 100000 * 3;  // arg: step 0 and 1, sums 0 and 3
      EXPECT_EQ(values_of<std::uint64_t>(result),
                (std::vector<std::uint64_t>{6 + both_steps, 1 + both_steps, 2 + both_steps, 3 + both_steps}));
    }
  }
}

TEST(GasStep, CountsActiveVerticesAndEdges) {
  const auto& program = program_of<MarkProgram, std::uint32_t>("marks");
  const Result result = run(program, graph_of(4, kEdges), {}, gas(2, 1));
  ASSERT_EQ(result.stats.supersteps.size(), 1u);
  EXPECT_EQ(result.stats.supersteps.records()[0].kind, abi::kGasStep);
  EXPECT_EQ(result.stats.supersteps.records()[0].edges, 3u);
  EXPECT_EQ(result.stats.supersteps.records()[0].active_vertices, 4u);
}

// Adds up weighted numbers, and declares nothing that another kind of step could use.
template <class Number>
struct SumHooks {
  using Property = Number;
  static constexpr bool kReadsEdgeProperty = true;
  static constexpr int kAux = 0;
  static Property preprocessProperty(Property p) { return p + 1; }
  static Property scatterFunc(Property p, Property weight) { return p * weight; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a + b; }
  static Property gatherFunc(Property a, Property b) { return a + b; }
  static Property applyMerge(Property a, Property b) { return a + b; }
  static Property applyFunc(Property tProp, Property source, Property, unsigned& extra, unsigned) {
    extra += tProp % 2;
    return 3 * source + tProp;
  }
};
std::uint64_t odd_sums;
template <class Number>
struct SumProgram {
  using Hooks = SumHooks<Number>;
  using Value = std::uint32_t;
  const Context<NoParameters>& context;
  Number initial(VertexId v) const { return v; }
  Until until(int step, const std::uint64_t* sums) const {
    odd_sums = sums[0];
    return done_if(step == 2);
  }
  Value finish(Number p, VertexId) const { return p; }
};

// In three super-steps, each with other properties.
void gathers_runs_of_any_length(VertexId n, const std::vector<std::string>& methods) {
  Edges edges = random_edges(n, 200000, 3);
  for (VertexId i = 0; i < 3000; ++i) edges.emplace_back(5, (i * 347) % n);  // one run over several blocks
  for (VertexId source = 100; source < 600; ++source) {
    for (VertexId i = 0; i < source % 40; ++i) edges.emplace_back(source, (source * 31 + i * i * 7) % n);
  }
  Csr csr = csr_of(n, edges);
  std::vector<std::int32_t> weights;
  for (EdgeCount e = 0; e < csr.num_edges(); ++e) weights.push_back(static_cast<std::int32_t>(e % 1009));
  csr.weights = array(weights);
  std::vector<std::uint32_t> expected(n);
  std::iota(expected.begin(), expected.end(), 0);
  std::uint64_t num_odd = 0;
  for (int step = 0; step < 3; ++step) {
    std::vector<std::uint32_t> gathered(n, 0);
    for (VertexId v = 0; v < n; ++v) {
      for (EdgeCount e = csr.offsets[v]; e < csr.offsets[std::size_t(v) + 1]; ++e) {
        gathered[csr.targets[e]] += (expected[v] + 1) * static_cast<std::uint32_t>(weights[e]);
      }
    }
    num_odd = 0;
    for (VertexId v = 0; v < n; ++v) {
      expected[v] = 3 * expected[v] + gathered[v];
      num_odd += gathered[v] % 2;
    }
  }
  const auto& program = program_of<SumProgram, std::uint32_t>("sum");
  for (const std::string& method : methods) {
    for (const auto& [capacity, units] : {std::pair(1u << 16, 1u), std::pair(1u << 16, 3u), std::pair(1u << 18, 5u)}) {
      RunOptions options = gas(capacity, units, 2);
      options.method = method;
      odd_sums = 0;
      const Result result = run(program, Graph(csr), {}, options);
      EXPECT_EQ(result.stats.supersteps.records()[0].kind, abi::kGasStep);
      EXPECT_EQ(values_of<std::uint32_t>(result), expected) << method << " " << capacity << " " << units;
      EXPECT_EQ(odd_sums, num_odd);
    }
  }
}
// Neighbours are too far apart to be pulled from.
TEST(GasStep, GathersRunsOfAnyLengthOverTheEndsOfBlocksAndSlices) {
  gathers_runs_of_any_length((1 << 20) + 77, {"auto", "gas"});
}
// In rounds: 64 and 16 partitions, for 2 threads.
TEST(GasStep, ReadsManyPropertiesFromBins) { gathers_runs_of_any_length((1 << 22) + 77, {"auto"}); }

}  // namespace
}  // namespace gaspipe
