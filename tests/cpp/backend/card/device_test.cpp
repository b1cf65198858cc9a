// SPDX-License-Identifier: Apache-2.0
// The host side of a card, on a card that is none (fake_card.h). Answers are held against the plain pipeline on the
// CPU.
#include "cpp/src/backend/card/device.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <numeric>
#include <set>

#include "tests/cpp/backend/card/answers.h"
#include "tests/cpp/backend/card/rig.h"
#include "tests/cpp/testing.h"

// Every allocation of a thread is counted. Not inlined: the compiler would see malloc's memory in delete, and warn.
namespace {
void* counted(std::size_t size) {
  if (gaspipe::testing::heap_pauses == 0) ++gaspipe::testing::heap_calls;
  return std::malloc(size == 0 ? 1 : size);
}
void* counted_or_throw(std::size_t size) {
  void* memory = counted(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace
[[gnu::noinline]] void* operator new(std::size_t size) { return counted_or_throw(size); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return counted_or_throw(size); }
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
[[gnu::noinline]] void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace gaspipe {
namespace {

using namespace gaspipe::testing;
using namespace std::chrono_literals;

Arguments question(const std::string& algorithm, VertexId num_vertices) {
  if (algorithm != "spmv") return {};
  std::vector<float> x(num_vertices);
  for (VertexId v = 0; v < num_vertices; ++v) x[v] = static_cast<float>(v % 7) - 3;
  return {{"x", array(x)}};
}

template <class F>
std::string device_error_of(const F& f) {
  try {
    f();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "no DeviceError";
}
template <class F>
std::string capacity_error_of(const F& f) {
  try {
    f();
  } catch (const CapacityError& error) {
    return error.what();
  }
  return "no CapacityError";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// ---- Answers -------------------------------------------------------------------------------------------------------

TEST(Card, AgreesWithThePlainPipeline) {
  const unsigned seed = 31;
  SCOPED_TRACE(message("seed ", seed));
  const Graph weighted = weighted_graph(300, 2000, seed);
  const Graph plain = graph_of(300, random_edges(300, 2000, seed));
  for (const NamedProgram& named : programs()) {
    const abi::Program* program = named.table();
    for (std::uint32_t i = 0; i < program->num_instances; ++i) {
      const abi::Instance& instance = program->instances[i];
      for (const int units : {1, 3}) {
        for (const bool has_weights : {false, true}) {
          if (has_weights && instance.edge_type == abi::kNone) continue;
          SCOPED_TRACE(message(program->name, ", ", instance.number, ", ", units, " units, weights ", has_weights));
          // Probabilities of edges are streamed whether or not the graph has weights.
          Rig rig(program->name, instance.number, units, has_weights || instance.transition_probabilities);
          const Graph& graph = has_weights ? weighted : plain;
          const Arguments arguments = question(program->name, 300);
          const Result result = rig.run(graph, arguments);
          expect_same(result, on_cpu(rig, graph, arguments), instance);
          EXPECT_EQ(result.stats.device, "fpga");
          EXPECT_EQ(result.stats.method, "gas");
          EXPECT_EQ(result.stats.board, "u250");
          EXPECT_EQ(result.stats.clock_mhz, 250);
          EXPECT_EQ(result.stats.card.library, "fake 1.0");
          EXPECT_EQ(result.stats.number, instance.number);
        }
      }
    }
  }
}

TEST(Card, RunsPackedKernelsForTheSameAnswers) {
  const Graph graph = weighted_graph(300, 2000, 32);
  for (const char* algorithm : {"bfs", "sssp"}) {
    const bool is_weighted = std::string(algorithm) == "sssp";
    Rig rig(algorithm, "uint32", 3, is_weighted);
    rig.driver.config = rig.design.config = "packed";
    rig.design.pes = 16;
    for (int call = 0; call < 2; ++call) {
      const Result result = rig.run(graph);
      expect_same(result, on_cpu(rig, graph), *rig.driver.instance);
      EXPECT_EQ(result.stats.card.edge_bytes_uploaded > 0, call == 0);
    }
  }
}

TEST(Card, RefusesADistanceOnlyWhereNoOtherPathFits) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  const auto distances = [&](const Edges& edges, const std::vector<std::int32_t>& weights) {
    Csr csr = csr_of(5, edges);
    csr.weights = array(weights);
    Rig rig("sssp", "uint32", 2, true);
    return values_of<std::int64_t>(rig.run(Graph(csr)));
  };
  // By 0, 1, 2 vertex 3 is 2^32 - 1 away, one too many; by 4 it is near.
  EXPECT_EQ(distances({{0, 1}, {0, 4}, {1, 2}, {2, 3}, {4, 3}}, {most, 7, most, 1, 8}),
            (std::vector<std::int64_t>{0, most, 2 * std::int64_t(most), 15, 7}));
  EXPECT_THROW(distances({{0, 1}, {1, 2}, {2, 3}}, {most, most, 1}), CapacityError);
}

TEST(Card, GivesTheSameAnswerUnderEveryScheduler) {
  const Graph graph = weighted_graph(1000, 20000, 4);
  Rig rig("sssp", "uint32", 3, true);
  const Result expected = on_cpu(rig, graph);
  std::mt19937 random(8);
  const auto shuffled = [&random](std::size_t size) {
    std::vector<std::uint32_t> ids(size);
    std::iota(ids.begin(), ids.end(), 0u);
    std::shuffle(ids.begin(), ids.end(), random);
    return ids;
  };
  for (const NamedScheduler& scheduler : schedulers()) {
    RunOptions options = rig.options();
    options.scheduler = scheduler.name;
    expect_same(run(find_program("sssp"), graph, {}, options), expected, *rig.driver.instance);
  }
  for (int i = 0; i < 5; ++i) {
    RunOptions options = rig.options();
    options.own_scheduler =
        Scheduler{[](const Partitioning&) {}, [&](const Partition& partition) { return shuffled(partition.size()); },
                  [&](const Partitioning& partitions) { return shuffled(partitions.size()); }};
    expect_same(run(find_program("sssp"), graph, {}, options), expected, *rig.driver.instance);
  }
}

TEST(Card, RunsEverySubPartitionOnTheUnitThatTheSchedulerChose) {
  // The edges of a few sources, and as many of many: cut in two by cost, one share is much the larger.
  Edges edges;
  for (VertexId i = 0; i < 2000; ++i) edges.emplace_back(i % 4, i * 7 % 128);
  for (VertexId i = 0; i < 2000; ++i) edges.emplace_back(4 + 5 * i, i * 7 % 128);
  const Graph graph = graph_of(10240, edges);
  Rig rig("bfs", "uint32", 2);
  RunOptions options = rig.options();
  options.skip_idle = false;
  options.partition->partitioner = "balanced";
  options.own_scheduler =
      Scheduler{[](const Partitioning&) {},
                [](const Partition& partition) {
                  return partition.index() == 1 ? std::vector<std::uint32_t>{1, 0} : std::vector<std::uint32_t>{0, 1};
                },
                [](const Partitioning& partitions) {
                  std::vector<std::uint32_t> order(partitions.size());
                  std::iota(order.rbegin(), order.rend(), 0u);
                  return order;
                }};
  const Result result = run(find_program("bfs"), graph, {}, options);
  expect_same(result, on_cpu(rig, graph), *rig.driver.instance);
  Workers workers(1);
  const auto partitioning = graph.partition(View::kForward, *options.partition, abi::kNone, workers);
  std::vector<FakeEvent> starts;
  for (const FakeEvent& event : rig.driver.events()) {
    if (event.what == "start" && event.unit != kFakeApply) starts.push_back(event);
  }
  // Without idle edges, those of two partitions once in vain (ahead_test.cpp).
  ASSERT_EQ(starts.size(), 2 * partitioning->size() * result.stats.supersteps.size() + 2 * 2);
  EXPECT_EQ(starts[0].first, 10240u - 64);
  for (const FakeEvent& event : starts) {
    const VertexId p = event.first / 64;
    const auto sub_partition = partitioning->get_partition(p).get_sub_partition(p == 1 ? 1 - event.unit : event.unit);
    EXPECT_EQ(event.num_words, (sub_partition.num_edges() + 15) / 16) << "partition " << p << ", unit " << event.unit;
  }
  const auto second = partitioning->get_partition(1);
  EXPECT_GT(second.get_sub_partition(0).num_edges(), second.get_sub_partition(1).num_edges() + 100);
}

TEST(Card, RunsTheSmallestGraphs) {
  for (const auto& edges : {Edges{}, Edges{{0, 0}}}) {
    const Graph graph = graph_of(1, edges);
    Rig rig("bfs", "uint32", 4);
    expect_same(rig.run(graph), on_cpu(rig, graph), *rig.driver.instance);
  }
}

TEST(Card, ChoosesPartitionsThatItHasRoomFor) {
  const Graph graph = graph_of(300, random_edges(300, 2000, 5));
  Rig rig("bfs", "uint32", 2);
  rig.design.capacity = 100;
  RunOptions options = rig.options();
  options.partition.reset();
  const Result result = run(find_program("bfs"), graph, {}, options);
  EXPECT_EQ(result.stats.partition.capacity, 96u);  // whole words of edges and properties
  EXPECT_EQ(result.stats.partition.compute_units, 2u);
  expect_same(result, on_cpu(rig, graph), *rig.driver.instance);
}

// ---- What lies where -----------------------------------------------------------------------------------------------

// Per unit: bank 4u for vertices, 4u + 1 and 4u + 2 for sources, 4u + 2 and 4u + 3 for destinations.
void connect_like_hbm(Rig& rig, std::uint64_t bank_bytes) {
  rig.driver.banks.clear();
  for (int i = 0; i < 4 * rig.driver.num_units; ++i) {
    rig.driver.banks.push_back({i, message("HBM[", i, "]"), bank_bytes});
  }
  rig.driver.connected = [](const std::string& port, int unit, bool) -> std::vector<int> {
    if (port == "sources") return {4 * unit + 1, 4 * unit + 2};
    if (port == "destinations") return {4 * unit + 2, 4 * unit + 3};
    if (port == "weights") return {4 * unit + 1, 4 * unit + 3};
    return {4 * unit};
  };
}

TEST(Card, SpreadsEdgesOverBanksOfAMegabyte) {
  const VertexId n = 60000;
  const Graph graph = weighted_graph(n, 650000, 9);
  Rig rig("sssp", "uint32", 3, true);
  connect_like_hbm(rig, kMegabyte);
  const Result result = rig.run(graph, {}, 6000);
  expect_same(result, on_cpu(rig, graph), *rig.driver.instance);
  // 217,000 edges a unit, of 867 kB in each array, beside which the other arrays find their place.
  for (int unit = 0; unit < 3; ++unit) {
    std::uint64_t edges = 0;
    for (const int bank : {1, 2, 3}) {
      EXPECT_GT(rig.driver.used[4 * unit + bank], 0u) << bank;
      edges += rig.driver.used[4 * unit + bank];
    }
    EXPECT_GT(edges, 2 * kMegabyte);
  }
}

TEST(Card, SaysWhatAFullCardLacks) {
  const Graph graph = graph_of(1000, random_edges(1000, 100000, 9));
  Rig rig("bfs", "uint32", 1, false, 256 << 10);  // room for 8 bytes of about 30,000 edges
  rig.driver.banks[0].name = "DDR[7]";
  const std::string error = capacity_error_of([&] { rig.run(graph, {}, 512); });
  EXPECT_TRUE(contains(error, "this graph needs ")) << error;
  EXPECT_TRUE(contains(error, "DDR[7] (262144 bytes")) << error;
  EXPECT_TRUE(contains(error, "edges with as many vertices, of 100000; use a smaller capacity")) << error;
  const auto at = error.find("room for about ");
  ASSERT_NE(at, std::string::npos) << error;
  const double fit = std::stod(error.substr(at + 15));
  EXPECT_GT(fit, 10000);
  EXPECT_LT(fit, 32768);
  EXPECT_EQ(rig.card->counts().allocations, 0u);  // known before the first
  const Graph small = graph_of(1000, random_edges(1000, static_cast<std::size_t>(fit * 0.9), 9));
  expect_same(rig.run(small, {}, 512), on_cpu(rig, small), *rig.driver.instance);
}

TEST(Card, SaysWhenNotEvenTheVerticesFit) {
  Rig rig("pagerank", "float64", 2, false, 64 << 10);
  const Graph graph = graph_of(10000, {{0, 1}});
  const std::string error = capacity_error_of([&] { rig.run(graph); });
  EXPECT_TRUE(contains(error, "properties")) << error;
  EXPECT_TRUE(contains(error, "room for about 0 edges")) << error;
}

TEST(Card, PutsABufferWhereAllItsKernelsReachIt) {
  // 40,000 bytes of properties, old and new: one to each of the banks that both kernels know.
  const Graph graph = graph_of(10000, random_edges(10000, 3000, 9));
  Rig rig("bfs", "uint32", 1);
  rig.driver.banks.clear();
  for (int i = 0; i < 5; ++i) rig.driver.banks.push_back({i, message("HBM[", i, "]"), 128 << 10});
  rig.driver.connected = [](const std::string& port, int, bool of_apply) -> std::vector<int> {
    if (port == "sources" || port == "destinations") return {4};
    return of_apply ? std::vector<int>{1, 2, 3} : std::vector<int>{0, 1, 2};
  };
  expect_same(rig.run(graph, {}, 10000), on_cpu(rig, graph), *rig.driver.instance);
  EXPECT_GE(rig.driver.used[1], 40000u);
  EXPECT_GE(rig.driver.used[2], 40000u);
  EXPECT_EQ(rig.driver.used[0], 0u);
}

TEST(Card, RefusesAnXclbinWhoseKernelsMeetInNoBank) {
  Rig rig("bfs", "uint32", 2);
  rig.driver.connected = [](const std::string& port, int unit, bool of_apply) {
    return std::vector<int>{of_apply && port == "gathered" ? 1 - unit : unit};
  };
  const std::string error = device_error_of([&] { rig.run(graph_of(100, {{0, 1}})); });
  EXPECT_TRUE(contains(error, "argument gathered of unit_0")) << error;
  EXPECT_TRUE(contains(error, "share no bank")) << error;
}

// ---- What stays ----------------------------------------------------------------------------------------------------

TEST(Card, KeepsAGraphForTheNextCall) {
  const Graph graph = graph_of(300, random_edges(300, 2000, 5));
  Rig rig("bfs", "uint32", 2);
  const Result first = rig.run(graph);
  // Two ids of 4 bytes an edge, in whole words: 10 shares of at most 15 edges of padding.
  EXPECT_GE(first.stats.card.edge_bytes_uploaded, 2000u * 8);
  EXPECT_LE(first.stats.card.edge_bytes_uploaded, (2000u + 10 * 15) * 8);
  EXPECT_GT(first.stats.card.calls.bytes_to_card, first.stats.card.edge_bytes_uploaded);
  const Result second = run(find_program("bfs"), graph, {{"root", std::int64_t(17)}}, rig.options());
  EXPECT_EQ(second.stats.card.edge_bytes_uploaded, 0u);
  EXPECT_EQ(second.stats.card.calls.allocations, 0u);
  EXPECT_EQ(second.stats.card.calls.runs, 0u);
  EXPECT_EQ(second.stats.card.calls.bytes_to_card, 2u * 1216);  // properties: 300 of 4 bytes in words, for two units
  EXPECT_EQ(second.stats.card.calls.syncs_to_card, 2u);
  expect_same(second, run(find_program("bfs"), graph, {{"root", std::int64_t(17)}}, gas(64, 2)), *rig.driver.instance);
}

TEST(Card, UploadsAgainForOtherUnitsButNotForAnotherOrder) {
  const Graph graph = graph_of(300, random_edges(300, 2000, 5));
  Rig rig("bfs", "uint32", 2);
  const Result expected = rig.run(graph);
  const auto with = [&](bool swapped, bool backwards) {
    RunOptions options = rig.options();
    options.own_scheduler = Scheduler{
        [](const Partitioning&) {},
        [=](const Partition&) { return swapped ? std::vector<std::uint32_t>{1, 0} : std::vector<std::uint32_t>{0, 1}; },
        [=](const Partitioning& partitions) {
          std::vector<std::uint32_t> order(partitions.size());
          std::iota(order.begin(), order.end(), 0u);
          if (backwards) std::reverse(order.begin(), order.end());
          return order;
        }};
    const Result result = run(find_program("bfs"), graph, {}, options);
    expect_same(result, expected, *rig.driver.instance);
    return result.stats.card.edge_bytes_uploaded;
  };
  EXPECT_EQ(with(false, true), 0u);
  EXPECT_GT(with(true, false), 0u);
  EXPECT_EQ(with(true, true), 0u);
}

TEST(Card, FreesGraphsThatAreGoneOrForgotten) {
  Rig rig("bfs", "uint32", 2);
  const auto used = [&] { return rig.driver.used[0] + rig.driver.used[1]; };
  const Graph kept = graph_of(300, random_edges(300, 2000, 5));
  rig.run(kept);
  const std::uint64_t of_one = used();
  {
    const Graph gone = graph_of(300, random_edges(300, 2000, 6));
    rig.run(gone);
    EXPECT_GT(used(), of_one * 3 / 2);
  }
  rig.run(kept);  // the next use is when it is noticed
  EXPECT_EQ(used(), of_one);
  rig.card->forget_graphs();
  EXPECT_EQ(used(), 0u);
  const CardCounts counts = rig.card->counts();
  EXPECT_EQ(counts.allocations, counts.frees);
  EXPECT_GT(rig.run(kept).stats.card.edge_bytes_uploaded, 0u);
}

TEST(Card, MakesRoomByWhatWasUsedLongestAgo) {
  Rig rig("bfs", "uint32", 1, false, 700 << 10);
  std::vector<Graph> graphs;
  for (unsigned seed = 0; seed < 3; ++seed) graphs.push_back(graph_of(1000, random_edges(1000, 20000, seed)));
  const auto uploads = [&](int i) {
    const Graph& graph = graphs[static_cast<std::size_t>(i)];
    const Result result = rig.run(graph, {}, 512);
    expect_same(result, on_cpu(rig, graph), *rig.driver.instance);
    return result.stats.card.edge_bytes_uploaded > 0;
  };
  // Each takes about 200 kB: all three stay.
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(uploads(i));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(uploads(i));
  graphs.push_back(graph_of(1000, random_edges(1000, 30000, 3)));
  EXPECT_TRUE(uploads(3));  // in the place of 0
  EXPECT_FALSE(uploads(1));
  EXPECT_FALSE(uploads(2));
  EXPECT_TRUE(uploads(0));  // in the place of 3
  EXPECT_FALSE(uploads(1));
  EXPECT_FALSE(uploads(2));
  // Too large for the card: what is there stays.
  EXPECT_THROW(rig.run(graph_of(1000, random_edges(1000, 200000, 4)), {}, 512), CapacityError);
  EXPECT_FALSE(uploads(0));
}

TEST(Card, GoesOnWhereABankIsFullerThanItsSizeSays) {
  Rig rig("bfs", "uint32", 1);
  const Graph first = graph_of(1000, random_edges(1000, 20000, 0)),
              second = graph_of(1000, random_edges(1000, 20000, 1));
  rig.run(first);
  rig.driver.faults.allocate = 3;  // as if another process had taken the rest
  expect_same(rig.run(second), on_cpu(rig, second), *rig.driver.instance);
  EXPECT_GT(rig.run(first).stats.card.edge_bytes_uploaded, 0u);  // it had made room
  rig.card->forget_graphs();
  rig.driver.faults.allocate = 3;
  EXPECT_THROW(rig.run(second), CapacityError);
  expect_same(rig.run(second), on_cpu(rig, second), *rig.driver.instance);
}

// ---- What a super-step asks of the card ----------------------------------------------------------------------------

TEST(Card, MakesTheCallsItStatesAndNoOthers) {
  const Graph graph = graph_of(300, random_edges(300, 2000, 5));
  constexpr std::uint64_t kPartitions = 5, kUnits = 3;
  for (const char* number : {"fixed", "float64"}) {
    Rig rig("pagerank", number, kUnits);
    rig.run(graph, {{"max_iter", std::int64_t(2)}, {"tol", 0.0}});  // uploads, and sets all words once
    RunOptions options = rig.options();
    CardCounts before = rig.card->counts();
    std::uint64_t steps = 0;
    options.progress = [&](std::uint64_t step, const abi::Superstep&) {
      const CardCounts now = rig.card->counts();
      // Before the first, properties and inputs are written; the last begins no other.
      if (step > 0 && step < 7) {
        EXPECT_EQ(now.starts - before.starts, kPartitions * (kUnits + 1));
        EXPECT_EQ(now.waits - before.waits, kPartitions * (kUnits + 1));
        EXPECT_EQ(now.syncs_from_card - before.syncs_from_card, kPartitions);
        EXPECT_EQ(now.bytes_from_card - before.bytes_from_card, kPartitions * 128);  // sums, activity
        EXPECT_EQ(now.syncs_to_card, before.syncs_to_card);
        EXPECT_EQ(now.allocations, before.allocations);
        EXPECT_EQ(now.frees, before.frees);
        EXPECT_EQ(now.runs, before.runs);
        // Of the Arg, at most the words of one number change in every step.
        EXPECT_LE(now.arguments - before.arguments, kPartitions * kArgWords);
      }
      before = now;
      ++steps;
    };
    run(find_program("pagerank"), graph, {{"max_iter", std::int64_t(8)}, {"tol", 0.0}}, options);
    EXPECT_GE(steps, 8u);  // more where fixed point needs a second scale
  }
}

TEST(Card, SetsOnlyTheWordsOfArgThatChange) {
  // BFS's Arg is the same in every step: after each of the two sets of runs has had it, none is set again.
  const Graph graph = graph_of(300, random_edges(300, 900, 5));
  Rig rig("bfs", "uint32", 2);
  RunOptions options = rig.options();
  options.skip_idle = false;  // which sets other words of edges
  std::vector<std::uint64_t> arguments;
  options.progress = [&](std::uint64_t, const abi::Superstep&) { arguments.push_back(rig.card->counts().arguments); };
  run(find_program("bfs"), graph, {}, options);
  ASSERT_GT(arguments.size(), 4u);
  EXPECT_EQ(arguments[1] - arguments[0], 5u * kArgWords);
  for (std::size_t step = 2; step < arguments.size(); ++step) EXPECT_EQ(arguments[step], arguments[1]) << step;
}

TEST(Card, AllocatesNothingInASuperstep) {
  const Graph graph = graph_of(1000, random_edges(1000, 20000, 5));
  Rig rig("bfs", "uint32", 3);
  rig.load();
  Workers workers(1);
  const auto edges = graph.device_edges(View::kForward, {64, 3, "equal"}, abi::kNone, EdgeLayout::kPlain, workers);
  CardDevice device(*rig.card, *rig.driver.instance, edges,
                    make_schedule(make_scheduler("equal_cycles"), edges->partitioning()), Skips::kEnd, workers);
  const abi::Device table = device.table();
  std::vector<std::uint32_t> levels(1008, 0xffffffffu);
  levels[0] = 0;
  ASSERT_EQ(table.write_properties(table.self, levels.data(), levels.size() * 4), abi::kOk);
  const std::uint32_t arg[kArgWords] = {};
  std::uint64_t sum = 1;
  for (int step = 0; sum > 0; ++step) {
    abi::Superstep stats{};
    const std::uint64_t before = heap_calls;
    ASSERT_EQ(table.superstep(table.self, arg, &sum, &stats), abi::kOk);
    EXPECT_EQ(heap_calls, before) << "super-step " << step;
    EXPECT_GT(stats.seconds[abi::kScatterGather], 0);
    EXPECT_GT(stats.seconds[abi::kApply], 0);
    ASSERT_LT(step, 1000);
  }
  ASSERT_EQ(table.read_properties(table.self, levels.data(), levels.size() * 4), abi::kOk);
  const auto expected = values_of<std::int32_t>(on_cpu(rig, graph));
  for (std::size_t v = 0; v < expected.size(); ++v) ASSERT_EQ(static_cast<std::int32_t>(levels[v]), expected[v]);
}

// Positions of events in the order they happened.
std::size_t position(const std::vector<FakeEvent>& events, const std::string& what, int unit, VertexId first) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].what == what && events[i].unit == unit && events[i].first == first) return i;
  }
  ADD_FAILURE() << what << ", unit " << unit << ", vertex " << first << " did not happen";
  return 0;
}

TEST(Card, KeepsEveryUnitsQueueFilledAndAppliesBeside) {
  const Graph graph = graph_of(320, random_edges(320, 3000, 5));  // 5 partitions
  Rig rig("pagerank", "fixed", 2);
  rig.run(graph, {{"max_iter", std::int64_t(1)}, {"tol", 0.0}});
  const std::vector<FakeEvent> events = rig.driver.events();
  for (VertexId p = 0; p < 5; ++p) {
    const VertexId first = 64 * p;
    const std::size_t apply = position(events, "start", kFakeApply, first);
    for (int unit = 0; unit < 2; ++unit) {
      EXPECT_LT(position(events, "done", unit, first), apply);
      if (p < 4) {
        // The next partition is queued before this one is done, and still under way when its apply starts.
        EXPECT_LT(position(events, "start", unit, first + 64), position(events, "done", unit, first));
        EXPECT_GT(position(events, "done", unit, first + 64), apply);
      }
      if (p < 3) {
        // The one after it takes the place that became free, no sooner, and does not wait for the other unit.
        const std::size_t third = position(events, "start", unit, first + 128);
        EXPECT_GT(third, position(events, "done", unit, first));
        EXPECT_LT(third, apply);
      }
    }
    // Applies are waited for when nothing is left to start.
    EXPECT_GT(position(events, "done", kFakeApply, first), position(events, "done", 1, 256));
  }
}

TEST(Card, UploadsWhileUnitsRun) {
  const Graph graph = graph_of(320, random_edges(320, 3000, 5));
  Rig rig("bfs", "uint32", 2);
  rig.run(graph);
  const std::vector<FakeEvent> events = rig.driver.events();
  const auto syncs_before = [&](std::size_t end) {
    return std::count_if(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(end),
                         [](const FakeEvent& event) { return event.what == "to_card"; });
  };
  // Two copies of the properties, then two arrays per sub-partition, right before its first run.
  EXPECT_EQ(syncs_before(position(events, "start", 0, 0)), 2 + 2);
  EXPECT_EQ(syncs_before(position(events, "start", 1, 0)), 2 + 4);
  EXPECT_EQ(syncs_before(position(events, "start", 0, 64)), 2 + 6);
  EXPECT_EQ(syncs_before(position(events, "start", 1, 256)), 2 + 20);
  EXPECT_EQ(syncs_before(events.size()), 2 + 20);
}

TEST(Card, AppliesAPartitionWhileALaterOneIsGathered) {
  // The gather-scatters of the second partition do not begin before the first was applied; a host that waits for them
  // first would wait for ever.
  const Graph graph = graph_of(320, random_edges(320, 3000, 5));
  Rig rig("bfs", "uint32", 2);
  std::mutex guard;
  std::condition_variable changed;
  bool applied = false;
  std::atomic<int> too_late{0};
  rig.driver.before_run = [&](int unit, VertexId first) {
    if (unit == kFakeApply || first != 64) return;
    std::unique_lock<std::mutex> lock(guard);
    if (!changed.wait_for(lock, 20s, [&] { return applied; })) ++too_late;
  };
  rig.driver.after_run = [&](int unit, VertexId first) {
    const std::lock_guard<std::mutex> lock(guard);
    if (unit == kFakeApply && first == 0) applied = true;
    changed.notify_all();
  };
  expect_same(rig.run(graph), on_cpu(rig, graph), *rig.driver.instance);
  EXPECT_EQ(too_late, 0);
}

// ---- What goes wrong -----------------------------------------------------------------------------------------------

TEST(Card, RefusesWhatItsXclbinCannotDo) {
  const Graph plain = graph_of(300, {{0, 1}}), weighted = weighted_graph(300, 2000, 1);
  Rig rig("sssp", "uint32", 2, true);
  rig.load();
  const auto error_of = [&](const char* algorithm, const Graph& graph, const RunOptions& options) {
    return device_error_of([&] { run(find_program(algorithm), graph, {}, options); });
  };
  EXPECT_TRUE(contains(error_of("bfs", plain, rig.options()), "fake.xclbin holds sssp, not bfs"));
  EXPECT_TRUE(contains(error_of("sssp", plain, rig.options()), "reads weights; this run has none"));
  RunOptions options = rig.options();
  options.number = "float64";
  EXPECT_TRUE(contains(error_of("sssp", weighted, options), "computes with number=\"uint32\", not \"float64\""));
  options = rig.options();
  options.partition->compute_units = 3;
  EXPECT_TRUE(contains(error_of("sssp", weighted, options), "for 3 compute units; fake.xclbin has 2"));
  options = rig.options();
  options.card = nullptr;
  EXPECT_TRUE(contains(error_of("sssp", weighted, options), "none was given"));
  rig.card.reset();
  rig.design.capacity = 32;
  const std::string capacity = capacity_error_of([&] { rig.run(weighted); });
  EXPECT_TRUE(contains(capacity, "capacity of 64; the kernels of fake.xclbin have room for 32")) << capacity;
  EXPECT_THROW(rig.run(weighted, {}, 24), InputError);  // no whole words
  rig.card.reset();
  rig.design.number = "int8";
  EXPECT_TRUE(contains(error_of("sssp", weighted, rig.options()), "number=\"int8\", which sssp does not know"));

  Rig unweighted("sssp", "uint32", 1, false);
  EXPECT_TRUE(contains(device_error_of([&] { unweighted.run(weighted); }), "built without weights; this run has some"));
  unweighted.card.reset();
  unweighted.design.units.clear();
  EXPECT_THROW(unweighted.load(), InputError);
}

TEST(Card, ReportsACardThatDoesNotOpen) {
  Rig rig("bfs", "uint32", 2);
  rig.driver.faults.open = 0;
  EXPECT_EQ(device_error_of([&] { rig.load(); }), "fake.xclbin cannot be loaded");
  EXPECT_NO_THROW(rig.load());
}

TEST(Card, RunsAgainAfterEveryFault) {
  const Graph graph = graph_of(300, random_edges(300, 2000, 5));
  Rig rig("bfs", "uint32", 2);
  rig.load();
  const Result expected = on_cpu(rig, graph);
  struct Fault {
    const char* name;
    int FakeFaults::* which;
    const char* message;
  };
  for (const Fault& fault :
       {Fault{"to_card", &FakeFaults::to_card, "to_card fails"},
        Fault{"from_card", &FakeFaults::from_card, "from_card fails"},
        Fault{"start", &FakeFaults::start, "start fails"}, Fault{"wait", &FakeFaults::wait, "partition "}}) {
    for (int after = 0; after < 40; after += after < 6 ? 1 : 5) {
      SCOPED_TRACE(message(fault.name, " ", after));
      rig.card->forget_graphs();
      rig.driver.faults = {};
      rig.driver.faults.*fault.which = after;
      const std::string error = device_error_of([&] { rig.run(graph); });
      if (rig.driver.faults.*fault.which >= 0) break;  // so many calls were not made
      EXPECT_TRUE(contains(error, fault.message)) << error;
      rig.driver.faults = {};
      expect_same(rig.run(graph), expected, *rig.driver.instance);
    }
    rig.driver.faults = {};
  }
}

TEST(Card, NamesTheRunThatFailed) {
  const Graph graph = graph_of(128, random_edges(128, 2000, 5));
  Rig rig("bfs", "uint32", 2);
  const auto error_after = [&](int waits) {
    rig.options();
    rig.driver.faults.wait = waits;
    return device_error_of([&] { rig.run(graph); });
  };
  EXPECT_EQ(error_after(0), "compute unit 0 (unit_0), partition 0: the command was aborted");
  EXPECT_EQ(error_after(3), "compute unit 1 (unit_1), partition 1: the command was aborted");
  EXPECT_EQ(error_after(5), "apply (apply_1), partition 1: the command was aborted");
}

TEST(Card, ReportsARunThatDoesNotEnd) {
  const Graph graph = graph_of(300, random_edges(300, 2000, 5));
  for (const int after : {0, 2, 5, 21}) {
    Rig rig("bfs", "uint32", 2);
    rig.load();
    rig.card->parts().patience = 300ms;
    rig.driver.faults.hang = after;
    const std::string error = device_error_of([&] { rig.run(graph); });
    EXPECT_TRUE(contains(error, "has not ended within ")) << error;
    EXPECT_TRUE(contains(error, "reset the card")) << error;
    EXPECT_TRUE(contains(error, "partition ")) << error;
    // Nothing that the run uses is freed, and nothing new is started beside it.
    EXPECT_TRUE(contains(device_error_of([&] { rig.run(graph); }), "has still not ended"));
    rig.card->forget_graphs();
    EXPECT_EQ(rig.driver.violations(), std::vector<std::string>());
    rig.driver.release();
    for (int tries = 0; tries < 100 && device_error_of([&] { rig.run(graph); }) != "no DeviceError"; ++tries) {
      std::this_thread::sleep_for(20ms);
    }
    expect_same(rig.run(graph), on_cpu(rig, graph), *rig.driver.instance);
    EXPECT_EQ(rig.driver.num_opened, 2);
  }
}

TEST(Card, FinishesWhatIsInFlightWhenInterrupted) {
  const Graph graph = graph_of(640, random_edges(640, 4000, 5));
  for (const int after : {1, 3, 8}) {
    Rig rig("pagerank", "fixed", 2);
    rig.driver.delay = 30ms;
    RunOptions options = rig.options();
    int asked = 0;
    options.interrupted = [&] { return ++asked > after; };
    EXPECT_THROW(run(find_program("pagerank"), graph, {{"max_iter", std::int64_t(1000)}, {"tol", 0.0}}, options),
                 Cancelled);
    const std::vector<FakeEvent> events = rig.driver.events();
    const auto number_of = [&](const std::string& what) {
      return std::count_if(events.begin(), events.end(), [&](const FakeEvent& event) { return event.what == what; });
    };
    EXPECT_EQ(number_of("start"), number_of("done"));
    EXPECT_LT(number_of("start"), 200);
    rig.driver.delay = 0ms;
    const Arguments arguments = {{"max_iter", std::int64_t(3)}, {"tol", 0.0}};
    expect_same(rig.run(graph, arguments), on_cpu(rig, graph, arguments), *rig.driver.instance);
    EXPECT_EQ(rig.driver.num_opened, 1);  // no fault of the card's
  }
}

TEST(Card, IsInterruptedInALongRun) {
  const Graph graph = graph_of(300, random_edges(300, 2000, 5));
  Rig rig("bfs", "uint32", 2);
  rig.load();
  rig.card->parts().patience = 10s;
  rig.driver.faults.hang = 3;
  RunOptions options = rig.options();
  int asked = 0;
  options.interrupted = [&] {
    if (++asked < 12) return false;
    rig.driver.release();  // now it may end, and does before the call returns
    return true;
  };
  EXPECT_THROW(run(find_program("bfs"), graph, {}, options), Cancelled);
  expect_same(rig.run(graph), on_cpu(rig, graph), *rig.driver.instance);
}

// What leaks on purpose is not to be reported.
extern "C" void __lsan_disable() __attribute__((weak));
extern "C" void __lsan_enable() __attribute__((weak));

TEST(Card, LeavesARunThatNeverEndsItsBuffers) {
  const Graph graph = graph_of(300, random_edges(300, 2000, 5));
  Workers workers(1);
  graph.device_edges(View::kForward, {64, 2, "equal"}, abi::kNone, EdgeLayout::kPlain,
                     workers);  // kept by the graph, not leaked
  if (__lsan_disable != nullptr) __lsan_disable();
  static Rig& rig = *new Rig("bfs", "uint32", 2);  // its threads go on to the end of the process
  rig.load();
  rig.card->parts().patience = 100ms;
  rig.driver.faults.hang = 4;
  EXPECT_TRUE(contains(device_error_of([&] { rig.run(graph); }), "has not ended within "));
  rig.card.reset();
  if (__lsan_enable != nullptr) __lsan_enable();
  EXPECT_EQ(rig.driver.violations(), std::vector<std::string>());
  EXPECT_GT(rig.driver.used[0], 0u);
}

TEST(Card, ReportsACardThatDoesNotOpenAgain) {
  const Graph graph = graph_of(300, random_edges(300, 2000, 5));
  Rig rig("bfs", "uint32", 2);
  rig.load();
  rig.driver.faults.wait = 3;
  EXPECT_THROW(rig.run(graph), DeviceError);
  rig.driver.faults.open = 0;
  EXPECT_EQ(device_error_of([&] { rig.run(graph); }), "fake.xclbin cannot be loaded");
  const CardCounts before = rig.card->counts();  // of the card that is closed
  EXPECT_EQ(before.allocations, before.frees);
  expect_same(rig.run(graph), on_cpu(rig, graph), *rig.driver.instance);
  EXPECT_GT(rig.card->counts().starts, before.starts);
}

TEST(Card, OutlivesAnExceptionOfTheProgressFunction) {
  const Graph graph = graph_of(300, random_edges(300, 2000, 5));
  Rig rig("bfs", "uint32", 2);
  RunOptions options = rig.options();
  options.progress = [](std::uint64_t step, const abi::Superstep&) {
    if (step == 1) throw std::runtime_error("enough");
  };
  EXPECT_THROW(run(find_program("bfs"), graph, {}, options), std::runtime_error);
  expect_same(rig.run(graph), on_cpu(rig, graph), *rig.driver.instance);
}

// ---- Several threads -----------------------------------------------------------------------------------------------

TEST(Card, ServesThreadsOneAfterTheOther) {
  std::vector<Graph> graphs;
  for (unsigned seed = 0; seed < 4; ++seed) graphs.push_back(graph_of(300, random_edges(300, 2000, seed)));
  Rig rig("bfs", "uint32", 2);
  rig.load();
  std::vector<Result> results(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int again = 0; again < 3; ++again) results[i] = rig.run(graphs[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < 4; ++i) expect_same(results[i], on_cpu(rig, graphs[i]), *rig.driver.instance);
}

TEST(Card, CanBeInterruptedWhileItWaitsForAnother) {
  const Graph graph = graph_of(300, random_edges(300, 2000, 5));
  Rig rig("bfs", "uint32", 2);
  RunOptions options = rig.options();
  int asked = 0;
  options.interrupted = [&] { return ++asked > 3; };
  {
    const LoadedCard::Lease held = rig.card->lease();
    std::thread other([&] { EXPECT_THROW(run(find_program("bfs"), graph, {}, options), Cancelled); });
    other.join();
    // On the thread that has it: no waiting for oneself.
    EXPECT_TRUE(contains(device_error_of([&] { rig.run(graph); }), "running for this very thread"));
    EXPECT_TRUE(contains(device_error_of([&] { rig.card->forget_graphs(); }), "running for this very thread"));
    EXPECT_EQ(rig.card->counts().starts, 0u);
  }
  expect_same(rig.run(graph), on_cpu(rig, graph), *rig.driver.instance);
}

}  // namespace
}  // namespace gaspipe
