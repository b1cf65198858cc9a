// SPDX-License-Identifier: Apache-2.0
// The host side of a card with two kinds of pipelines, on a fake card (fake_card.h). Answers are compared with those of
// the plain pipeline on the CPU.
#include <gtest/gtest.h>

#include "cpp/src/backend/card/parts.h"
#include "tests/cpp/backend/card/answers.h"
#include "tests/cpp/backend/card/fake_rig.h"
#include "tests/cpp/question.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;
using namespace std::chrono_literals;

constexpr VertexId kVertices = 3000;

// Two dense pipelines and a sparse one, with a channel for edges and one for vertices each, and four of apply. A dense
// partition has 64 vertices of 32 bits.
struct Pipelines : FakeRig {
  static constexpr int kUnits = 3;
  Pipelines(const std::string& algorithm, const std::string& number, bool weighted = false,
            std::uint64_t bank_bytes = 4 << 20, int clock_mhz = 225) {
    driver.instance = &instance_of(find_program(algorithm), number);
    driver.config = design.config = "hbm";
    driver.weighted = design.weighted = weighted;
    driver.num_units = kUnits;
    driver.num_dense = 2;
    for (int i = 0; i < 2 * kUnits + 4; ++i) driver.banks.push_back({i, message("HBM[", i, "]"), bank_bytes});
    driver.connected = [](const std::string& port, int unit, bool of_apply) -> std::vector<int> {
      if (!of_apply) return {2 * unit + (port == "edges" ? 0 : 1)};
      const int first = 2 * kUnits + (port == "aux" || port == "sums" ? 2 : 0);
      return {first, first + 1};
    };
    design.algorithm = algorithm;
    design.number = number;
    design.board = "u280";
    design.pes = 16;
    design.capacity = 512 / static_cast<std::uint32_t>(driver.instance->update_bytes / 4);
    design.dense = "fake_dense";
    design.num_dense = 2;
    design.gather_scatter = "fake_sparse";
    design.apply = "fake_apply";
    design.units = {"unit_0", "unit_1", "unit_2"};
    design.apply_unit = "apply_1";
    design.clock_mhz = clock_mhz;
    load();
  }
  Result run(const Graph& graph, const Arguments& arguments = {}) {
    return gaspipe::run(find_program(design.algorithm), graph, arguments, on_card());
  }
  Result on_cpu(const Graph& graph, const Arguments& arguments = {}) const {
    RunOptions options = gas(64, 1);
    options.number = design.number;
    return gaspipe::run(find_program(design.algorithm), graph, arguments, options);
  }
  int count(const std::string& what, bool of_apply) {
    int number = 0;
    for (const FakeEvent& event : driver.events()) {
      number += event.what == what && (event.unit == kFakeApply) == of_apply;
    }
    return number;
  }
};

// A few vertices get most of the edges, and some vertices none.
Graph uneven(bool weighted, unsigned seed, int num_edges = 30000) {
  std::mt19937 random(seed);
  Edges edges;
  for (int i = 0; i < num_edges; ++i) {
    const VertexId to = random() % 3 == 0 ? random() % (kVertices - 100) : random() % 50;
    edges.emplace_back(static_cast<VertexId>(random() % kVertices), to);
  }
  Csr csr = csr_of(kVertices, edges);
  if (!weighted) return Graph(csr);
  std::vector<std::int32_t> weights(edges.size());
  for (auto& weight : weights) weight = static_cast<std::int32_t>(random() % 100);
  csr.weights = array(weights);
  return Graph(csr);
}

TEST(CardPipelines, AgreeWithThePlainPipeline) {
  const Graph weighted = uneven(true, 3, 12000), plain = uneven(false, 3, 12000);
  for (const NamedProgram& named : programs()) {
    const abi::Program* program = named.table();
    for (std::uint32_t i = 0; i < program->num_instances; ++i) {
      const abi::Instance& instance = program->instances[i];
      if (instance.property_bytes > 8) continue;  // a word each: packed rows have none
      for (const bool has_weights : {false, true}) {
        if (has_weights && instance.edge_type == abi::kNone) continue;
        if (i > 0 && instance.edge_type != abi::kNone && has_weights == (i % 2 == 0)) continue;  // in turn
        SCOPED_TRACE(message(program->name, ", ", instance.number, ", weights ", has_weights));
        Pipelines rig(program->name, instance.number, has_weights || instance.transition_probabilities);
        const Graph& graph = has_weights ? weighted : plain;
        const Arguments arguments = question(*program, kVertices);
        const Result result = rig.run(graph, arguments);
        expect_same(result, rig.on_cpu(graph, arguments), instance, 10);
        EXPECT_EQ(result.stats.device, "fpga");
        EXPECT_EQ(result.stats.board, "u280");
        EXPECT_EQ(result.stats.clock_mhz, 225);
      }
    }
  }
}

TEST(CardPipelines, KeepAGraphAndPassOverWhatSendsNothing) {
  const Graph graph = uneven(true, 5), other = uneven(true, 6);
  Pipelines rig("sssp", "uint32", true);
  const Result first = rig.run(graph);
  expect_same(first, rig.on_cpu(graph), *rig.driver.instance, 10);
  const auto steps = first.stats.supersteps.size();
  EXPECT_GT(first.stats.card.edge_bytes_uploaded, 30000u * 8);
  EXPECT_EQ(rig.count("start", true), static_cast<int>(steps));
  rig.driver.forget_events();

  const Result again = rig.run(graph);
  EXPECT_EQ(list(again.values), list(first.values));
  EXPECT_EQ(again.stats.card.edge_bytes_uploaded, 0u) << "it is there";
  EXPECT_EQ(again.stats.card.calls.allocations, 0u);
  EXPECT_EQ(again.stats.card.calls.runs, 0u);
  rig.driver.forget_events();

  expect_same(rig.run(other), rig.on_cpu(other), *rig.driver.instance, 10);
  expect_same(rig.run(graph), rig.on_cpu(graph), *rig.driver.instance, 10);
}

TEST(CardPipelines, DoNotGatherWhereNothingIsSent) {
  // A path, and 40,000 edges beside it that are idle, at a clock at which they take longer than the host.
  Edges edges;
  for (VertexId v = 0; v + 1 < 200; ++v) edges.emplace_back(v, v + 1);
  for (VertexId i = 0; i < 40000; ++i) edges.emplace_back(200 + i % 800, 200 + i % 799);
  const Graph graph = graph_of(1000, edges);
  Pipelines slow("bfs", "uint32", false, 4 << 20, 1);
  const Result found = slow.run(graph);
  expect_same(found, slow.on_cpu(graph), *slow.driver.instance, 10);
  // Every pipeline exchanges in every super-step; of the path's edges one is streamed, by one or two of them.
  const auto steps = static_cast<int>(found.stats.supersteps.size()), all = 2 * slow.kUnits * steps;
  ASSERT_EQ(steps, 200);
  EXPECT_LE(slow.count("start", false), slow.kUnits * steps + 2 * steps);
  Pipelines fast("bfs", "uint32");
  for (const bool skip_idle : {true, false}) {
    fast.driver.forget_events();
    RunOptions options = fast.on_card();
    options.skip_idle = skip_idle;
    const Result begun = run(find_program("bfs"), graph, {}, options);
    EXPECT_EQ(list(begun.values), list(found.values));
    // All in every super-step, and once in vain: that it was the last is known when its sums are.
    if (!skip_idle) EXPECT_EQ(fast.count("start", false), all + fast.kUnits);
    EXPECT_GE(begun.stats.supersteps.edges(), static_cast<std::uint64_t>(steps - 2) * graph.num_edges());
  }
}

TEST(CardPipelines, GatherBeforeSumsAreRead) {
  const Graph graph = graph_of(1000, random_edges(1000, 9000, 4));
  Pipelines rig("pagerank", "fixed");
  const Arguments four = {{"max_iter", std::int64_t(4)}, {"tol", 0.0}};
  expect_same(rig.run(graph, four), rig.on_cpu(graph, four), *rig.driver.instance, 10);
  rig.driver.forget_events();
  RunOptions options = rig.on_card();
  std::vector<int> started;  // after every super-step
  options.progress = [&](std::uint64_t, const abi::Superstep&) { started.push_back(rig.count("start", false)); };
  run(find_program("pagerank"), graph, four, options);
  const int all = 2 * rig.kUnits;
  EXPECT_EQ(started, (std::vector<int>{all + rig.kUnits, 2 * all + rig.kUnits, 3 * all + rig.kUnits, 4 * all}));
}

TEST(CardPipelines, TakeTheSmallestGraphs) {
  for (const Edges& edges : {Edges{}, Edges{{0, 0}}}) {
    const Graph graph = graph_of(1, edges);
    Pipelines rig("bfs", "uint32");
    expect_same(rig.run(graph), rig.on_cpu(graph), *rig.driver.instance, 10);
  }
}

// A launch that fails ends the run and leaves a card that the next run can use.
TEST(CardPipelines, RecoverFromFailures) {
  const Graph graph = uneven(false, 7);
  for (int fault = 0; fault < 12; ++fault) {
    for (int FakeFaults::* kind : {&FakeFaults::wait, &FakeFaults::to_card, &FakeFaults::from_card}) {
      Pipelines rig("bfs", "uint32");
      rig.card->parts().patience = 50ms;
      rig.driver.faults.*kind = fault;
      bool failed = false;
      try {
        rig.run(graph);
      } catch (const DeviceError&) {
        failed = true;
      }
      EXPECT_TRUE(failed || rig.driver.faults.*kind >= 0) << fault;
      rig.driver.faults = {};
      if (failed) expect_same(rig.run(graph), rig.on_cpu(graph), *rig.driver.instance, 10);
    }
  }
}

TEST(CardPipelines, EndWhereARunIsInterrupted) {
  const Graph graph = uneven(false, 8);
  Pipelines rig("bfs", "uint32");
  int calls = 0;
  RunOptions options = rig.on_card();
  options.interrupted = [&] { return ++calls > 3; };
  rig.driver.delay = 30ms;
  EXPECT_THROW(run(find_program("bfs"), graph, {}, options), Cancelled);
  rig.driver.delay = 0ms;
  expect_same(rig.run(graph), rig.on_cpu(graph), *rig.driver.instance, 10);
}

TEST(CardPipelines, RefuseWhatTheyCannotTake) {
  const Graph plain = uneven(false, 9), weighted = uneven(true, 9);
  const auto said = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  Pipelines rig("sssp", "uint32", true);
  EXPECT_PRED2(has, said([&] { rig.run(plain); }), "reads weights; this run has none");
  RunOptions options = rig.on_card();
  options.partition.emplace();
  EXPECT_PRED2(has, said([&] { run(find_program("sssp"), weighted, {}, options); }), "omit partitioning");
  options = rig.on_card();
  options.scheduler = "equal_cycles";
  EXPECT_PRED2(has, said([&] { run(find_program("sssp"), weighted, {}, options); }), "omit scheduler");
  CardDesign design = rig.design;
  for (const std::size_t num_dense : {0, 3}) {
    design.num_dense = num_dense;
    EXPECT_PRED2(has, said([&] { LoadedCard(rig.driver, 0, design); }), "of them dense; one of each kind is needed");
  }
  Pipelines small("sssp", "uint32", true, 16 << 10);
  EXPECT_THROW(small.run(weighted), CapacityError);
}

}  // namespace
}  // namespace gaspipe
