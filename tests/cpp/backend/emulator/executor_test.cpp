// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "gaspipe/device_edges.h"
#include "gaspipe/domain.h"
#include "gaspipe/error.h"
#include "hls/emulator/engine.h"
#include "hls/module/source_property.h"
#include "tests/cpp/question.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

RunOptions emulated(const char* execution, std::uint32_t capacity = 64, std::uint32_t compute_units = 2) {
  RunOptions options = gas(capacity, compute_units);
  options.device = "emulator";
  options.execution = execution;
  return options;
}

template <class T>
void expect_near(const std::vector<T>& found, const std::vector<T>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t v = 0; v < found.size(); ++v) {
    if (found[v] == expected[v] || (std::isnan(found[v]) && std::isnan(expected[v]))) continue;  // infinity too
    ASSERT_NEAR(found[v], expected[v], tolerance * (1 + std::abs(expected[v]))) << v;
  }
}

TEST(Emulator, GivesTheBitsOfThePlainPipeline) {
  const Graph graph = graph_of(150, random_edges(150, 700, 5));
  for (const char* name : {"bfs", "wcc", "sssp"}) {
    const Result plain = run(find_program(name), graph, {}, gas(64, 2));
    for (const char* execution : {"fast", "exact", "shallow"}) {
      for (const std::uint32_t units : {1u, 3u, 16u}) {
        if (execution == std::string("shallow") && units != 3) continue;
        const Result result = run(find_program(name), graph, {}, emulated(execution, 64, units));
        EXPECT_EQ(list(result.values), list(plain.values)) << name << ", " << execution << ", " << units << " units";
        EXPECT_EQ(result.stats.device, "emulator");
        EXPECT_EQ(result.stats.supersteps.size(), plain.stats.supersteps.size());
        EXPECT_EQ(result.stats.prediction.has_value(), std::string(execution) != "fast");
      }
    }
  }
}

TEST(Emulator, RunsOtherKernelsForTheSameAnswers) {
  const unsigned seed = 21;
  SCOPED_TRACE(message("seed ", seed));
  constexpr VertexId kNumVertices = 10000;  // three partitions
  std::mt19937 random(seed);
  Edges edges(2000);  // of the first and the last sources: one word cannot bridge the gap between them
  for (auto& [source, target] : edges) {
    source = static_cast<VertexId>(random() % 500 + (random() % 2 == 0 ? 0 : kNumVertices - 500));
    target = static_cast<VertexId>(random() % kNumVertices);
  }
  Csr csr = csr_of(kNumVertices, edges);
  std::vector<std::int32_t> weights(edges.size());
  for (auto& weight : weights) weight = static_cast<std::int32_t>(random() % 100);
  csr.weights = array(weights);
  const Graph graph(csr);
  bool is_packed = false;  // whose turn it is to run cycle by cycle
  for (const NamedProgram& named : programs()) {
    const abi::Program* program = named.table();
    const abi::Instance& instance = program->instances[0];
    is_packed = !is_packed;
    SCOPED_TRACE(message(program->name, ", ", instance.number));
    const Arguments arguments = question(*program, kNumVertices);
    RunOptions options = emulated("fast", 4096, 3);
    options.number = instance.number;
    const Result plain = run(*program, graph, arguments, options);
    for (const auto& [config, predicted] : {std::pair("packed", "packed-single"), std::pair("hbm", "hbm")}) {
      SCOPED_TRACE(config);
      options.config = config;
      if (options.config == "hbm") options.partition.reset();  // it has partitions of its own
      options.execution = "fast";
      const Result fast = run(*program, graph, arguments, options);
      if (is_packed == (options.config == "packed")) {
        options.execution = "exact";
        const Result exact = run(*program, graph, arguments, options);
        EXPECT_EQ(list(exact.values), list(fast.values));
        EXPECT_EQ(exact.stats.supersteps.size(), fast.stats.supersteps.size());
        EXPECT_EQ(exact.stats.prediction->config, predicted);
      }
      if (plain.type == abi::kFloat32) {
        expect_near(values_of<float>(fast), values_of<float>(plain), 1e-5);
      } else if (plain.type == abi::kFloat64 && !instance.is_fixed_point) {
        expect_near(values_of<double>(fast), values_of<double>(plain), 1e-5);
      } else {
        EXPECT_EQ(list(fast.values), list(plain.values));
      }
    }
  }
}

// What a step streams is a part of all edges, and where programs have no idle vertices all of them.
TEST(Emulator, PassesOverEdgesForTheSameAnswers) {
  const unsigned seed = 22;
  SCOPED_TRACE(message("seed ", seed));
  std::mt19937 random(seed);
  Edges edges(1800);  // between vertices near each other: a search sweeps over the ids, in some 20 super-steps
  for (auto& [source, target] : edges) {
    source = static_cast<VertexId>(random() % 600);
    target = std::min<VertexId>(599, source - std::min<VertexId>(source, 30) + static_cast<VertexId>(random() % 60));
  }
  Csr csr = csr_of(600, edges);
  std::vector<std::int32_t> weights(1800);
  for (auto& weight : weights) weight = static_cast<std::int32_t>(random() % 100);
  csr.weights = array(weights);
  const Graph graph(csr);
  const std::set<std::string> skipping = {"bfs", "sssp", "wcc", "closeness"};
  for (const NamedProgram& named : programs()) {
    const abi::Program* program = named.table();
    const abi::Instance& instance = program->instances[0];
    for (const char* config : {"plain", "packed", "hbm"}) {
      if (skipping.count(program->name) == 0 && config != std::string("packed")) continue;
      SCOPED_TRACE(message(program->name, ", ", instance.number, ", ", config));
      RunOptions options = emulated("fast", 128, 3);
      options.number = instance.number;
      options.config = config;
      if (options.config == "hbm") options.partition.reset();
      const Arguments arguments = question(*program, 600);
      options.skip_idle = false;
      const Result all = run(*program, graph, arguments, options);
      options.skip_idle = true;
      // Cycle by cycle in one algorithm: passing over is the host's, the same for all.
      for (const char* execution : {"fast", "exact"}) {
        if (execution == std::string("exact") && program->name != std::string("sssp")) continue;
        options.execution = execution;
        const Result busy = run(*program, graph, arguments, options);
        EXPECT_EQ(list(busy.values), list(all.values)) << execution;
        EXPECT_EQ(busy.stats.supersteps.size(), all.stats.supersteps.size());
        if (skipping.count(program->name) == 0) {
          EXPECT_EQ(busy.stats.supersteps.edges(), all.stats.supersteps.edges());
        } else if (options.config != "hbm" && execution == std::string("fast")) {
          EXPECT_LT(busy.stats.supersteps.edges(), all.stats.supersteps.edges() * 9 / 10);
        } else {  // of few vertices by degree, blocks are scattered; with clocks so few edges take less than the host
          EXPECT_LT(busy.stats.supersteps.edges(), all.stats.supersteps.edges());
        }
        if (busy.stats.prediction) {
          std::uint64_t predicted = 0;
          for (const StepPrediction& step : busy.stats.prediction->steps) predicted += step.edges;
          EXPECT_EQ(predicted, busy.stats.supersteps.edges());
        }
      }
    }
  }
}

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Emulator, HasExecutionsThatOtherDevicesRefuse) {
  const Graph graph = graph_of(300, random_edges(300, 2000, 5));
  RunOptions options;
  options.execution = "exact";
  EXPECT_EQ(error_of([&] { run(find_program("bfs"), graph, {}, options); }),
            "execution is \"exact\", which says how the emulator runs kernels, and device is \"cpu\", which has none; "
            "use device=\"emulator\" or \"emulator:u250\", or leave execution at \"auto\"");
  options.domains = std::make_shared<const Domains>(graph, 2, DomainOptions());
  options.devices = {"cpu", "emulator"};
  EXPECT_EQ(error_of([&] { run(find_program("bfs"), graph, {}, options); }), "no error");
  options.devices = {"cpu", "cpu"};
  EXPECT_NE(error_of([&] { run(find_program("bfs"), graph, {}, options); }).find("execution is \"exact\""),
            std::string::npos);
}

TEST(Emulator, RefusesConfigurationsThatItCannotRun) {
  const Graph graph = graph_of(300, random_edges(300, 2000, 5));
  RunOptions options = emulated("fast", 64, 2);
  options.config = "unknown";
  EXPECT_EQ(error_of([&] { run(find_program("bfs"), graph, {}, options); }),
            "config is \"unknown\"; allowed are \"plain\", \"packed\" and \"hbm\"");
  for (const auto& [config, board] : {std::pair("regraph", "u280"), std::pair("thundergp", "u250")}) {
    options.config = config;
    EXPECT_EQ(error_of([&] { run(find_program("bfs"), graph, {}, options); }),
              message("config is \"", config, "\"; it can only be predicted, for there are no kernels of it to run: ",
                      "gp.predict(..., board=\"", board, "\", config=\"", config,
                      "\"), in C++ RunOptions::prediction; allowed are \"plain\", \"packed\" and \"hbm\""));
  }
  options.config = "hbm";
  EXPECT_EQ(error_of([&] { run(find_program("bfs"), graph, {}, options); }),
            "config \"hbm\" makes partitions of its own; omit partitioning");
  options.partition.reset();
  options.device = "emulator:u250";
  EXPECT_EQ(error_of([&] { run(find_program("bfs"), graph, {}, options); }),
            "config \"hbm\" needs at least 8 pseudo-channels of HBM; u250 has 4 banks of DDR; use \"packed\" there, or "
            "a board with HBM (u280)");
  options = emulated("fast", 64, 2);
  options.config = "packed";
  options.execution = "auto";
  options.prediction = PredictionOptions();
  EXPECT_EQ(error_of([&] { run(find_program("bfs"), graph, {}, options); }),
            "config is \"packed\"; a prediction times the kernels that it names itself, and computes with "
            "config=\"plain\"");
}

TEST(Emulator, GivesTheSameAnswerUnderEveryScheduler) {
  const unsigned seed = 20;
  SCOPED_TRACE(message("seed ", seed));
  Csr csr = csr_of(300, random_edges(300, 2000, seed));
  std::mt19937 random(seed);
  std::vector<std::int32_t> weights(2000);
  for (auto& weight : weights) weight = static_cast<std::int32_t>(random() % 100);
  csr.weights = array(weights);
  const Graph graph(csr);
  const auto shuffled = [&random](std::size_t size) {
    std::vector<std::uint32_t> ids(size);
    std::iota(ids.begin(), ids.end(), 0u);
    std::shuffle(ids.begin(), ids.end(), random);
    return ids;
  };
  const Scheduler at_random = {[](const Partitioning&) {},
                               [&](const Partition& partition) { return shuffled(partition.size()); },
                               [&](const Partitioning& partitions) { return shuffled(partitions.size()); }};
  for (const NamedProgram& named : programs()) {
    const abi::Program* program = named.table();
    for (std::uint32_t i = 0; i < program->num_instances; ++i) {
      const abi::Instance& instance = program->instances[i];
      const bool is_float = instance.value_type >= abi::kFloat32 && !instance.is_fixed_point;
      const Arguments arguments = question(*program, 300);
      RunOptions options = emulated("fast", 64, 3);
      options.number = instance.number;
      const Result plain = run(*program, graph, arguments, options);
      const auto expect_same = [&](const std::string& name) {
        SCOPED_TRACE(message(program->name, ", ", instance.number, ", ", name));
        const Result result = run(*program, graph, arguments, options);
        if (!is_float) {
          EXPECT_EQ(list(result.values), list(plain.values));
        } else if (result.type == abi::kFloat32) {
          expect_near(values_of<float>(result), values_of<float>(plain), 1e-5);
        } else {
          const bool is_single = instance.property_type == abi::kFloat32;
          expect_near(values_of<double>(result), values_of<double>(plain), is_single ? 1e-5 : 1e-12);
        }
        if (is_float) return;  // may need another step
        EXPECT_EQ(result.stats.supersteps.size(), plain.stats.supersteps.size());
      };
      for (const NamedScheduler& scheduler : schedulers()) {
        options.scheduler = scheduler.name;
        expect_same(scheduler.name);
      }
      options.own_scheduler = at_random;
      expect_same("random");
      if (i > 0) continue;
      options.execution = "exact";  // where every unit has its own copy of the properties
      expect_same("random, exact");
    }
  }
}

TEST(Emulator, ReportsADesignThatCannotGoOnInsteadOfHanging) {
  // Many edges of few sources: the line commands look further ahead than a stream of 8 lets them.
  Edges edges;
  for (VertexId i = 0; i < 20000; ++i) edges.push_back({i % 16, i % 64});
  const Graph graph = graph_of(64, edges);
  emulator::Engine::current_options().depths = {{"edge_sources", 8}, {"command_sources", 4}};
  std::string report;
  try {
    run(find_program("bfs"), graph, {}, emulated("exact", 64, 1));
  } catch (const DeviceError& error) {
    report = error.what();
  }
  emulator::Engine::current_options().depths.clear();
  EXPECT_EQ(report.find("emulator, gather_scatter, partition 0, compute unit 0: deadlock"), 0u) << report;
  EXPECT_NE(report.find("writes to edge_sources (8 of 8)"), std::string::npos) << report;
  EXPECT_NO_THROW(run(find_program("bfs"), graph, {}, emulated("exact", 64, 1)));
}

TEST(Emulator, StopsWhenInterrupted) {
  const Graph graph = graph_of(2000, random_edges(2000, 200000, 5));
  for (const char* execution : {"fast", "exact"}) {
    RunOptions options = emulated(execution, 512, 4);
    int asked = 0;
    options.interrupted = [&] { return ++asked > 1; };
    EXPECT_THROW(run(find_program("pagerank"), graph, {{"tol", 0.0}, {"max_iter", std::int64_t(1000000)}}, options),
                 Cancelled);
  }
}

TEST(Emulator, RefusesWhatItCannotBe) {
  const Graph graph = graph_of(64, {{0, 1}});
  EXPECT_THROW(run(find_program("bfs"), graph, {}, emulated("slow")), InputError);
  EXPECT_THROW(run(find_program("bfs"), graph, {}, emulated("fast", 7)), InputError);
  EXPECT_NO_THROW(run(find_program("bfs"), graph, {}, emulated("fast", 100)));  // one partition
  RunOptions options = emulated("exact");
  options.device = "emulator:u9000";
  EXPECT_THROW(run(find_program("bfs"), graph, {}, options), InputError);
  options.device = "toaster";
  EXPECT_THROW(run(find_program("bfs"), graph, {}, options), InputError);
}

TEST(DeviceEdges, HoldEveryEdgeOnceInWholeWords) {
  const Edges edges = random_edges(200, 1000, 3);
  Csr csr = csr_of(200, edges);
  std::vector<std::int32_t> weights(1000);
  for (int i = 0; i < 1000; ++i) weights[static_cast<std::size_t>(i)] = i;
  csr.weights = array(weights);
  const Graph graph(csr);
  Workers workers(2);
  const auto device = graph.device_edges(View::kForward, {64, 3, "balanced"}, abi::kInt32, EdgeLayout::kPlain, workers);
  EXPECT_EQ(device,
            graph.device_edges(View::kForward, {64, 3, "balanced"}, abi::kInt32, EdgeLayout::kPlain, workers));  // kept
  std::vector<bool> seen(1000);
  for (std::size_t p = 0; p < 4; ++p) {
    for (std::size_t unit = 0; unit < 3; ++unit) {
      const DeviceEdges::SubPartition& stored = device->sub_partition(p, unit);
      ASSERT_EQ(stored.sources.size(), stored.num_words);
      ASSERT_EQ(stored.weights.size(), stored.num_words);  // 32-bit weights
      VertexId before = 0;
      for (std::uint64_t i = 0; i < stored.num_words * 16ull; ++i) {
        const VertexId source = stored.sources[i / 16].lane[i % 16],
                       destination = stored.destinations[i / 16].lane[i % 16];
        EXPECT_GE(source, before);
        before = source;
        if (destination == kNoVertex) continue;
        EXPECT_EQ(destination / 64, p);
        const auto weight = reinterpret_cast<const std::int32_t*>(stored.weights.data())[i];
        ASSERT_FALSE(seen[static_cast<std::size_t>(weight)]);
        seen[static_cast<std::size_t>(weight)] = true;
        EXPECT_EQ(csr.targets[static_cast<std::size_t>(weight)], destination);
      }
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 1000);
}

}  // namespace
}  // namespace gaspipe
