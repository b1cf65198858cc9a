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

TEST(Contract, RefusesATableOfAnotherVersion) {
  abi::Program other = find_program("bfs");
  other.abi_version = abi::kAbiVersion + 1;
  EXPECT_THROW(run(other, graph_of(1, {}), {}), InputError);
}

}  // namespace
}  // namespace gaspipe
