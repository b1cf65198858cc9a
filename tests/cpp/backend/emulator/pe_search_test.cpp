// SPDX-License-Identifier: Apache-2.0
// Programs on an array of PEs that push or pull, against a queue. tests/python/test_pe_search.py has programs of users.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "gaspipe/error.h"
#include "gaspipe/run.h"
#include "tests/cpp/testing.h"
#include "tests/hls/kernel/searches.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

RunOptions searching(const char* execution, std::uint64_t workers, int num_threads = 2) {
  RunOptions options;
  options.method = "direction_optimizing";
  options.device = "emulator:u280";
  options.execution = execution;
  options.workers = workers;
  options.num_threads = num_threads;
  return options;
}

std::vector<std::int32_t> levels(const Result& result) {
  const auto* const values = reinterpret_cast<const std::int32_t*>(result.values.data());
  return {values, values + result.size};
}

TEST(PeSearch, FindsTheLevelsOfAQueue) {
  for (const Named& named : graphs()) {
    const Graph graph(named.csr);
    const VertexId root = named.csr.num_rows / 2;
    for (const char* execution : {"fast", "exact", "shallow"}) {
      for (const std::uint64_t workers : {2, 4, 8}) {
        if (execution == std::string("shallow") && workers != 4) continue;
        SCOPED_TRACE(std::string(named.name) + ", " + execution + ", PEs: " + std::to_string(workers));
        const Result result =
            run(find_program("bfs"), graph, {{"root", std::int64_t(root)}}, searching(execution, workers));
        EXPECT_EQ(levels(result), plain_levels(named.csr, root));
        EXPECT_EQ(result.stats.method, "direction_optimizing");
        EXPECT_EQ(result.stats.prediction.has_value(), std::string(execution) != "fast");
        ASSERT_NE(result.stats.pe_array, nullptr);
        EXPECT_EQ(result.stats.pe_array->num_pes, static_cast<int>(workers));
        EXPECT_EQ(result.stats.pe_array->level_pulled.size() + 1, result.stats.supersteps.size() + 1);
      }
    }
  }
}

// More than a worker takes at once, and threads side by side.
TEST(PeSearch, LevelsOfManyVerticesAreSharedAmongThreads) {
  const VertexId n = 20'000;
  const Csr csr = csr_of(n, random_edges(n, 12 * n, 9));
  const Graph graph(csr);
  for (const int num_threads : {1, 2, 4}) {
    const Result result =
        run(find_program("bfs"), graph, {{"root", std::int64_t(1)}}, searching("fast", 8, num_threads));
    EXPECT_EQ(levels(result), plain_levels(csr, 1));
  }
}

TEST(PeSearch, OptionsThatDoNotGoWithItAreTold) {
  const Graph graph = graph_of(30, random_edges(30, 90, 2));
  const auto expect = [&](const char* program, RunOptions options, const std::string& says) {
    try {
      run(find_program(program), graph, {}, options);
      FAIL() << says;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  RunOptions options = searching("exact", 4);
  expect("wcc", options, "\"direction_optimizing\" is for bfs and custom algorithms");
  options.device = "cpu";
  expect("bfs", options, "runs in the emulator");
  options = searching("exact", 3);
  expect("bfs", options, "is a kernel of 2, 4 or 8 PEs");
  options = searching("auto", 4);
  options.prediction.emplace();
  expect("bfs", options, "a prediction is of kernels that stream");
}

TEST(PeSearch, AnInterruptEndsIt) {
  const Graph graph = graph_of(30'000, random_edges(30'000, 600'000, 4));
  RunOptions options = searching("exact", 8);
  options.interrupted = [] { return true; };
  EXPECT_THROW(run(find_program("bfs"), graph, {}, options), Cancelled);
}

}  // namespace
}  // namespace gaspipe
