// SPDX-License-Identifier: Apache-2.0
// What a program may leave out: one that declares nothing but its hooks, written for zero-filled buffers with an active
// bit, as the programs of the published framework are.
#include <gtest/gtest.h>

#include "gaspipe/engine/engine.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

constexpr std::uint32_t kActive = 0x80000000u, kMaxProp = 0x7ffffffeu;

// Breadth-first search: bit 31 marks a vertex reached in the last super-step, 0 in a buffer means "nothing yet".
template <class Number>
struct BareHooks {
  using Property = Number;
  static bool isActive(Property update) { return (update & kActive) != 0; }
  static Property preprocessProperty(Property p) { return (p & kActive) != 0 ? p + 1 : p; }
  static Property scatterFunc(Property p, Property) { return p; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return gatherFunc(a, b); }
  static Property gatherFunc(Property a, Property b) { return a == 0 || (b != 0 && b < a) ? b : a; }
  static Property applyMerge(Property a, Property b) { return gatherFunc(a, b); }
  static Property applyFunc(Property tProp, Property source, Property outDeg, unsigned& extra, unsigned) {
    (void)outDeg;
    if ((tProp & kActive) != 0 && source == kMaxProp) {
      ++extra;
      return tProp;
    }
    return source & ~kActive;
  }
};
template <class Number>
struct BareProgram {
  using Hooks = BareHooks<Number>;
  using Value = std::int32_t;
  const Context<NoParameters>& context;
  Number initial(VertexId v) const { return v == 0 ? kActive | 1 : kMaxProp; }
  Until until(int, const std::uint64_t* sums) const { return done_if(sums[0] == 0); }
  Value finish(Number p, VertexId) const { return p == kMaxProp ? -1 : static_cast<Value>(p & ~kActive) - 1; }
};

TEST(Contract, RunsAProgramForZeroFilledBuffersUnchanged) {
  using Traits = gaspipe::Traits<BareHooks<std::uint32_t>>;
  static_assert(Traits::identity() == 0 && !Traits::kIdempotent && !Traits::kReadsEdgeProperty &&
                Traits::kExtras == 1 && Traits::kAux == 1);
  const auto& program = program_of<BareProgram, std::uint32_t>("bare");
  const Graph graph = graph_of(6, {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 0}, {4, 0}});
  for (const char* method : {"auto", "gas"}) {
    for (std::uint32_t capacity : {1u, 4u, 100u}) {
      RunOptions options = gas(capacity, 2, 2);
      options.method = method;
      EXPECT_EQ(values_of<std::int32_t>(run(program, graph, {}, options)),
                (std::vector<std::int32_t>{0, 1, 1, 2, -1, -1}));
    }
  }
}

TEST(Contract, TableTellsWhatTheProgramDeclares) {
  const abi::Instance& bare = program_of<BareProgram, std::uint32_t>("bare").instances[0];
  EXPECT_EQ(bare.filters, 1);
  EXPECT_EQ(bare.idempotent, 0);
  EXPECT_EQ(bare.has_priority, 0);
  EXPECT_EQ(bare.edge_type, abi::kNone);
  const abi::Program& sssp = find_program("sssp");
  EXPECT_EQ(sssp.instances[0].idempotent, 1);
  EXPECT_EQ(sssp.instances[0].has_priority, 1);
  EXPECT_EQ(sssp.instances[0].non_negative_weights, 1);
  EXPECT_EQ(sssp.instances[0].edge_type, abi::kUint32);
  EXPECT_EQ(sssp.instances[0].largest_sum, 0xfffffffep0);
  EXPECT_EQ(find_program("bfs").instances[0].largest_sum, 0);
  EXPECT_EQ(find_program("bfs").instances[0].final_once_set, 1);
}

// Every edge hands its source's id on: the sum shows along which edges a view leads.
template <class Number>
struct SumHooks {
  using Property = Number;
  static Property preprocessProperty(Property p) { return p; }
  static Property scatterFunc(Property p, Property) { return p; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a + b; }
  static Property gatherFunc(Property a, Property b) { return a + b; }
  static Property applyMerge(Property a, Property b) { return a + b; }
  static Property applyFunc(Property tProp, Property, Property outDeg, unsigned&, unsigned) {
    return tProp + 1000 * outDeg;
  }
};
template <class Number, View view>
struct SumProgram {
  using Hooks = SumHooks<Number>;
  using Value = std::uint32_t;
  static constexpr View kView = view;
  const Context<NoParameters>& context;
  Number initial(VertexId v) const { return v + 1; }
  Until until(int, const std::uint64_t*) const { return Until::kDone; }
  Value finish(Number p, VertexId) const { return p; }
};
template <class Number>
using ForwardSum = SumProgram<Number, View::kForward>;
template <class Number>
using ReverseSum = SumProgram<Number, View::kReverse>;
template <class Number>
using UndirectedSum = SumProgram<Number, View::kUndirected>;

TEST(Contract, WalksTheViewAskedFor) {
  const Graph graph = graph_of(3, {{0, 1}, {0, 2}, {2, 0}});
  using Values = std::vector<std::uint32_t>;
  // By default aux is the out-degree (in thousands here), in the view's own sense.
  EXPECT_EQ(values_of<std::uint32_t>(run(program_of<ForwardSum, std::uint32_t>("f"), graph, {})),
            (Values{2003, 1, 1001}));
  EXPECT_EQ(values_of<std::uint32_t>(run(program_of<ReverseSum, std::uint32_t>("r"), graph, {})),
            (Values{1005, 1000, 1001}));
  EXPECT_EQ(values_of<std::uint32_t>(run(program_of<UndirectedSum, std::uint32_t>("u"), graph, {})),
            (Values{2005, 1001, 1001}));
}

// Reachability from one vertex per pass, and how many super-steps the passes took together.
template <class Number>
struct ReachHooks {
  using Property = Number;
  static constexpr Property kIdentity = 0;
  static constexpr bool kIdempotent = true;
  static constexpr int kAux = 0;
  static bool isSource(Property p) { return p != 0; }
  static Property preprocessProperty(Property p) { return p; }
  static Property scatterFunc(Property p, Property) { return p; }
  static Property updateMergeInRAWSolver(Property a, Property b) { return a | b; }
  static Property gatherFunc(Property a, Property b) { return a | b; }
  static Property applyMerge(Property a, Property b) { return a | b; }
  static Property applyFunc(Property tProp, Property source, Property, unsigned& extra, unsigned) {
    extra += tProp != 0 && source == 0;
    return source | tProp;
  }
};
struct ReachParameters {
  VertexListView roots;
  bool and_itself = true;
  template <class Visit>
  void each(Visit&& visit) {
    visit("roots", roots, Allowed::vertex(), "Where to start.");
    visit("and_itself", and_itself, Allowed::any(), "Count the root.");
  }
};
template <class Number>
struct ReachProgram {
  using Hooks = ReachHooks<Number>;
  using Value = std::int64_t;
  static constexpr Value kMissing = -7;
  const Context<ReachParameters>& context;
  VertexId root = 0;
  std::uint64_t found = 0;

  std::uint64_t num_passes() const { return context.parameters.roots.size; }
  void start(std::uint64_t pass) {
    root = context.parameters.roots.data[pass];
    found = context.parameters.and_itself;
  }
  Number initial(VertexId v) const { return v == root; }
  void collect(int, const std::uint64_t* sums) { found += sums[0]; }
  Until until(int, const std::uint64_t* sums) const { return done_if(sums[0] == 0); }
  void publish(Value* values) const { values[root] = static_cast<Value>(found); }
};

TEST(Contract, StartsOverInEveryPassAndKeepsWhatEarlierOnesFound) {
  const auto& program = program_of<ReachProgram, std::uint32_t, ReachParameters>("reach");
  EXPECT_EQ(program.parameters[0].kind, abi::kVertices);
  EXPECT_EQ(program.parameters[1].kind, abi::kFlag);
  const Graph graph = graph_of(6, {{0, 1}, {1, 2}, {2, 3}, {4, 0}, {3, 3}});
  using Values = std::vector<std::int64_t>;
  for (const char* method : {"auto", "gas"}) {
    RunOptions options = gas(2, 2, 2);
    options.method = method;
    const Result result = run(program, graph, {{"roots", array<std::int64_t>({3, 0, 4})}}, options);
    EXPECT_EQ(values_of<std::int64_t>(result), (Values{4, -7, -7, 1, 5, -7}));
    EXPECT_EQ(result.stats.supersteps.size(), 1u + 4u + 5u);
    EXPECT_EQ(values_of<std::int64_t>(run(
                  program, graph, {{"roots", array<std::int64_t>({0, 0})}, {"and_itself", std::int64_t(0)}}, options)),
              (Values{3, -7, -7, -7, -7, -7}));
    const Result none = run(program, graph, {{"roots", array<std::int64_t>({})}}, options);
    EXPECT_EQ(values_of<std::int64_t>(none), (Values(6, -7)));
    EXPECT_TRUE(none.stats.converged);
  }
  EXPECT_THROW(run(program, graph, {{"roots", array<std::int64_t>({6})}}), InputError);
  EXPECT_THROW(run(program, graph, {{"roots", array<std::int64_t>({-1})}}), InputError);
  EXPECT_THROW(run(program, graph, {{"roots", array<double>({1})}}), InputError);
  EXPECT_THROW(run(program, graph, {{"and_itself", std::int64_t(2)}}), InputError);
}

TEST(Contract, ChoosesTheFormatThatMatrixAndVectorShare) {
  const abi::Program& spmv = find_program("spmv");
  Csr csr = csr_of(2, {{0, 1}, {1, 0}});
  const auto number_with = [&](const Weights& weights, const ArgumentValue& x) {
    csr.weights = weights;
    return run(spmv, Graph(csr), {{"x", x}}).stats.number;
  };
  const auto i32 = array<std::int32_t>({1, 2});
  const auto i64 = array<std::int64_t>({1, 2});
  const auto f32 = array<float>({1, 2});
  const auto f64 = array<double>({1, 2});
  EXPECT_EQ(number_with({}, i32), "int32");
  EXPECT_EQ(number_with({}, f32), "float32");
  EXPECT_EQ(number_with(i32, i64), "int64");
  EXPECT_EQ(number_with(i64, i32), "int64");
  EXPECT_EQ(number_with(f32, f32), "float32");
  EXPECT_EQ(number_with(f32, i32), "float64");
  EXPECT_EQ(number_with(i32, f32), "float64");
  EXPECT_EQ(number_with(f64, f32), "float64");
  const auto u64 = array<std::uint64_t>({1, std::uint64_t(1) << 63});
  EXPECT_EQ(number_with(i32, u64), "float64");
  EXPECT_EQ(number_with(f32, u64), "float64");
  EXPECT_THROW(number_with({}, u64), InputError);  // not int64, which does not hold it
  EXPECT_THROW(number_with({}, std::int64_t(3)), InputError);
  EXPECT_THROW(number_with({}, array<float>({1, 2, 3})), InputError);
  EXPECT_THROW(run(spmv, Graph(csr), {}), InputError);
}

TEST(Contract, TakesRectanglesWhereDeclared) {
  Workers workers(2);
  Csr csr = csr_of(3, {{0, 2}, {1, 0}, {1, 1}});
  const Graph wide = Graph(csr).as_matrix(2, 3, workers);
  const ArgumentValue x = array<std::int32_t>({1, 10, 100});
  EXPECT_EQ(values_of<std::int32_t>(run(find_program("spmv"), wide, {{"x", x}})), (std::vector<std::int32_t>{100, 11}));
  const Graph tall = wide.transpose(workers);
  EXPECT_EQ(tall.num_rows(), 3u);
  EXPECT_EQ(values_of<std::int32_t>(run(find_program("spmv"), tall, {{"x", array<std::int32_t>({1, 10})}})),
            (std::vector<std::int32_t>{10, 10, 1}));
  EXPECT_THROW(run(find_program("spmv"), tall, {{"x", x}}), InputError);
  EXPECT_THROW(run(find_program("bfs"), wide, {}), InputError);
  const Graph empty = graph_of(1, {}).as_matrix(0, 0, workers);
  EXPECT_EQ(run(find_program("spmv"), empty, {{"x", array<std::int32_t>({})}}).size, 0u);
  EXPECT_THROW(graph_of(1, {{0, 0}}).as_matrix(0, 0, workers), InputError);
  EXPECT_THROW(wide.as_matrix(1, 3, workers), InputError);
  EXPECT_THROW(wide.as_matrix(3, 2, workers), InputError);
  EXPECT_THROW(wide.as_matrix(4, 3, workers), InputError);
}

TEST(Contract, RefusesATableOfAnotherVersion) {
  abi::Program other = find_program("bfs");
  other.abi_version = abi::kAbiVersion + 1;
  EXPECT_THROW(run(other, graph_of(1, {}), {}), InputError);
}

}  // namespace
}  // namespace gaspipe
