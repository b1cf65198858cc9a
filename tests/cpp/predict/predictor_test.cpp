// SPDX-License-Identifier: Apache-2.0
// Whether what is predicted holds together: the kernels that are timed alone take the cycles of the programs' own, and
// samples take about what the whole takes.
#include <gtest/gtest.h>

#include <numeric>

#include "../../../cpp/src/predict/timed_kernels.h"
#include "gaspipe/boards.h"
#include "gaspipe/error.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

constexpr unsigned kSeed = 7;

Graph random_graph(VertexId num_vertices, std::size_t num_edges) {
  Csr csr = csr_of(num_vertices, random_edges(num_vertices, num_edges, kSeed));
  std::mt19937 random(kSeed);
  std::vector<std::int32_t> weights(num_edges);
  for (auto& weight : weights) weight = static_cast<std::int32_t>(random() % 9 + 1);
  csr.weights = array(weights);
  return Graph(std::move(csr));
}

RunOptions on_board(std::uint32_t capacity, std::uint32_t units) {
  RunOptions options = gas(capacity, units);
  options.device = "emulator:u250";
  return options;
}
RunOptions predicting(const char* config, std::uint32_t capacity, std::uint32_t units, EdgeCount sample_edges = 0) {
  RunOptions options = on_board(capacity, units);
  options.prediction.emplace();
  options.prediction->config = config;
  options.prediction->sample_edges = sample_edges;
  return options;
}

Arguments question(const std::string& program, VertexId num_vertices) {
  if (program == "pagerank") return {{"max_iter", std::int64_t(3)}, {"tol", 0.0}};
  if (program != "spmv") return {};
  std::vector<std::int32_t> x(num_vertices);
  std::iota(x.begin(), x.end(), -20);
  return {{"x", array(x)}};
}

double total_seconds(const Prediction& prediction) {
  double seconds = 0;
  for (const StepPrediction& step : prediction.steps) seconds += step.seconds;
  return seconds;
}

TEST(Predictor, TimesWhatTheProgramsOwnKernelsTake) {
  const Graph graph = random_graph(700, 5000);
  // Sums and minima of floating-point numbers take more cycles than those of integers, and of two sizes.
  const std::pair<const char*, const char*> cases[] = {
      {"bfs", "auto"}, {"sssp", "auto"},    {"pagerank", "auto"},    {"spmv", "auto"},
      {"wcc", "auto"}, {"sssp", "float32"}, {"pagerank", "float32"}, {"spmv", "float64"}};
  for (const auto& [name, number] : cases) {
    SCOPED_TRACE(std::string(name) + ", " + number);
    const Arguments arguments = question(name, 700);
    RunOptions exactly = on_board(256, 2), alone = predicting("plain", 256, 2);
    exactly.number = alone.number = number;
    const Result own = run(find_program(name), graph, arguments, exactly);
    const Result timed = run(find_program(name), graph, arguments, alone);
    EXPECT_EQ(list(timed.values), list(own.values));
    const Prediction &a = *own.stats.prediction, &b = *timed.stats.prediction;
    ASSERT_EQ(a.steps.size(), b.steps.size());
    for (std::size_t step = 0; step < a.steps.size(); ++step) {
      EXPECT_DOUBLE_EQ(b.steps[step].seconds, a.steps[step].seconds) << "super-step " << step;
      EXPECT_EQ(b.steps[step].bytes, a.steps[step].bytes);
      EXPECT_EQ(b.steps[step].edges, a.steps[step].edges);
      EXPECT_EQ(b.steps[step].timed_edges, b.steps[step].edges);
    }
    EXPECT_EQ(b.resources.uram, a.resources.uram);
    EXPECT_EQ(b.resources.bram, a.resources.bram);
  }
}

// Most sub-partitions have no edges; kernels are launched for them all the same.
TEST(Predictor, TimesSubPartitionsWithoutEdgesAsWell) {
  const Graph graph = graph_of(2000, {{0, 1}, {1, 1999}});
  const Result own = run(find_program("bfs"), graph, {}, on_board(256, 4));
  const Result timed = run(find_program("bfs"), graph, {}, predicting("plain", 256, 4));
  EXPECT_EQ(total_seconds(*timed.stats.prediction), total_seconds(*own.stats.prediction));
  // Where idle ones are passed over, identity is written once: 2000 values of 32 bits by each of four units. From the
  // third super-step on none are: so few edges take less time than the host.
  const Result packed = run(find_program("bfs"), graph, {}, predicting("packed", 256, 4));
  const std::vector<StepPrediction>& steps = packed.stats.prediction->steps;
  ASSERT_EQ(steps.size(), 3u);
  for (std::size_t step = 0; step < steps.size(); ++step) {
    EXPECT_EQ(steps[step].bytes >= 4u * 2000 * 4, step != 1) << step;
    EXPECT_LE(steps[step].edges, 2u);
  }
}

TEST(Predictor, IsTheSameForAnyNumberOfThreads) {
  const Graph graph = random_graph(150, 600);
  for (const bool timed : {false, true}) {
    RunOptions one = timed ? predicting("plain", 64, 4) : on_board(64, 4), many = one;
    many.num_threads = 4;
    const Result a = run(find_program("sssp"), graph, {}, one), b = run(find_program("sssp"), graph, {}, many);
    EXPECT_EQ(total_seconds(*b.stats.prediction), total_seconds(*a.stats.prediction));
    EXPECT_EQ(b.stats.prediction->pe_updates, a.stats.prediction->pe_updates);
  }
}

TEST(Predictor, CountsTheBlocksThatConfigurationsAreChosenBy) {
  const Graph graph = random_graph(70000, 2000);
  for (const char* name : {"plain", "thundergp", "wide", "packed"}) {
    const predict::KernelConfig& config = predict::find_config(name);
    const Result result = run(find_program("bfs"), graph, {}, predicting(name, 1 << 16, 2));
    EXPECT_EQ(result.stats.prediction->resources.uram, 2 * config.uram(1 << 16, 4)) << name;
  }
  // By hand: 2^19 values of 32 bits in 16 PEs with two banks of rows of two: 16384 rows, 4 blocks each. Published: 128
  // blocks of buffers, as many as its generator counts, and 32 of the cache.
  EXPECT_EQ(predict::kPacked.uram(1 << 19, 4), 16 * 2 * 4);
  EXPECT_EQ(predict::kThunderGp.uram(1 << 20, 4), 128 + 32);
  EXPECT_EQ(predict::kPlain.uram(1 << 18, 4), 8 * 8);
}

TEST(Predictor, CountsTheUpdatesOfThePes) {
  const Graph graph = random_graph(700, 9000);
  const Result result =
      run(find_program("pagerank"), graph, {{"max_iter", std::int64_t(1)}, {"tol", 0.0}}, predicting("plain", 256, 2));
  const Prediction& prediction = *result.stats.prediction;
  // Every edge sends one update, to PE destination % 8.
  std::vector<std::uint64_t> expected(8, 0);
  const Csr& csr = *graph.csr();
  for (std::uint64_t e = 0; e < csr.num_edges(); ++e) ++expected[csr.targets[e] % 8];
  EXPECT_EQ(prediction.pe_updates, expected);
}

TEST(Predictor, SamplesWholeSubPartitions) {
  const Graph graph = random_graph(4096, 100000);
  for (const char* config : {"plain", "thundergp", "wide", "packed", "packed-single", "packed-all"}) {
    SCOPED_TRACE(config);
    const Arguments arguments = {{"max_iter", std::int64_t(2)}, {"tol", 0.0}, {"damping", 0.85}};
    const Result whole = run(find_program("pagerank"), graph, arguments, predicting(config, 256, 2));
    const Result part = run(find_program("pagerank"), graph, arguments, predicting(config, 256, 2, 20000));
    const Prediction &all = *whole.stats.prediction, &some = *part.stats.prediction;
    EXPECT_EQ(all.steps[0].timed_edges, 100000u);
    EXPECT_LE(some.steps[0].timed_edges, 24000u);
    EXPECT_GE(some.steps[0].timed_edges, 10000u);
    EXPECT_NEAR(total_seconds(some) / total_seconds(all), 1, 0.05);
    // Nothing depends on the order in which threads came.
    const Result again = run(find_program("pagerank"), graph, arguments, predicting(config, 256, 2, 20000));
    EXPECT_EQ(total_seconds(*again.stats.prediction), total_seconds(some));
  }
}

TEST(Predictor, RefusesWhatDoesNotFit) {
  const Graph graph = random_graph(700, 9000);
  const auto problem = [&](const RunOptions& options) -> std::string {
    try {
      run(find_program("bfs"), graph, {}, options);
    } catch (const InputError& error) {
      return error.what();
    } catch (const CapacityError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem(predicting("fast", 256, 2)),
            "config is \"fast\"; allowed are \"plain\", \"thundergp\", \"packed\", \"regraph\", \"hbm\"");
  RunOptions on_cpu = predicting("plain", 256, 2);
  on_cpu.device = "cpu";
  EXPECT_EQ(problem(on_cpu), "device is \"cpu\"; only the emulator predicts");
  const std::string over = problem(predicting("plain", 1 << 20, 16));
  EXPECT_NE(over.find("takes 256 blocks of URAM, and 16 units are asked for; u250 has room for 4"), std::string::npos)
      << over;
  OwnBoard small;
  small.name = "small";
  small.board = find_board("u250");
  small.board.memory.bytes_per_bank = 1 << 20;
  RunOptions in_small = predicting("plain", 256, 1);
  in_small.prediction->board = make_board(small);
  const std::string full = problem(in_small);
  EXPECT_EQ(full, "") << "9000 edges fit";
  const Graph large = random_graph(700, 700000);
  EXPECT_THROW(run(find_program("bfs"), large, {}, in_small), CapacityError);
}

}  // namespace
}  // namespace gaspipe
