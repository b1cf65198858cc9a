// SPDX-License-Identifier: Apache-2.0
// Arrays of PEs on a card, on a fake one (tests/cpp/backend/card/fake_card.h) that goes from level to level as the
// kernels' tops do. Answers are compared with those of a queue, and of the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <random>

#include "cpp/src/backend/card/parts.h"
#include "cpp/src/pe_array/banks.h"
#include "cpp/src/pe_array/kernel.h"
#include "gaspipe/pe_array.h"
#include "hls/local_store/bucket.h"
#include "hls/local_store/direction.h"
#include "tests/cpp/backend/card/fake_rig.h"
#include "tests/cpp/testing.h"
#include "tests/hls/kernel/searches.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;
using namespace std::chrono_literals;
using pe_array::DistancePorts;
using pe_array::Line;
using pe_array::Ports;
using pe_array::SourceWord;

constexpr int kPes = 2;

template <class T>
T* lines_at(const FakeDriver::AloneArguments& arguments, const char* port, int pe) {
  return static_cast<T*>(arguments.memory(port, pe));
}

// hls/kernel/local_store_bfs.cpp.in and pull_bfs.cpp.in.
void search_top(const FakeDriver::AloneArguments& arguments, bool pulls) {
  std::vector<Ports> ports;
  for (int pe = 0; pe < kPes; ++pe) {
    EXPECT_EQ(arguments.memory("queue", pe), arguments.memory("next_queue", pe));
    EXPECT_EQ(arguments.memory("lists_even", pe), arguments.memory("lists_odd", pe));
    ports.push_back({lines_at<Line>(arguments, "lists_even", pe), lines_at<Line>(arguments, "queue", pe), nullptr});
    if (pulls) ports.back().rows = lines_at<SourceWord>(arguments, "heads", pe);
  }
  const std::uint32_t num_state_words = arguments.scalar("num_state_words");
  std::uint32_t level = arguments.scalar("level");
  if (!pulls) return run_level_fast(ports, num_state_words, level);
  LevelControl control;
  control.start(arguments.scalar("num_list_words"), arguments.scalar("num_headed"));
  for (const std::uint32_t last = level + arguments.scalar("num_levels"); level < last; ++level) {
    control.begin();
    for (const Ports& one : ports) control.take(one.queue[level % 2 * num_state_words]);
    if (control.num_entries == 0) break;
    control.end();
    if (control.pulls(num_state_words, kPes)) {
      run_pull_fast(ports, num_state_words, level, arguments.scalar("num_groups"));
    } else {
      run_level_fast(ports, num_state_words, level);
    }
  }
}

// hls/kernel/delta_stepping.cpp.in.
template <class Number>
void paths_top(const FakeDriver::AloneArguments& arguments) {
  std::vector<DistancePorts> ports;
  for (int pe = 0; pe < kPes; ++pe) {
    ports.push_back({lines_at<Line>(arguments, "heads", pe), lines_at<Line>(arguments, "edges", pe),
                     lines_at<Line>(arguments, "distances", pe)});
  }
  BucketControl<Number> control;
  control.start(arguments.scalar("limit"), arguments.scalar("width"), arguments.scalar("balance"));
  for (std::uint32_t phase = 0; phase < arguments.scalar("num_phases"); ++phase) {
    control.begin();
    for (const DistancePorts& one : ports) control.take(one.distances[0]);
    if (control.is_done()) break;
    control.advance();
    pe_array::run_phase_fast<Number>(ports, arguments.scalar("num_words"), control.limit);
  }
}

struct OneKernel : FakeRig {
  explicit OneKernel(const std::string& kernel, const std::string& number = "uint32",
                     std::uint64_t bank_bytes = 16 << 20) {
    driver.config = design.config = kernel;
    driver.num_units = kPes;
    for (int pe = 0; pe < kPes; ++pe) driver.banks.push_back({pe, message("HBM[", pe, "]"), bank_bytes});
    driver.connected = [](const std::string&, int pe, bool) { return std::vector<int>{pe}; };
    driver.alone = [=](const FakeDriver::AloneArguments& arguments) {
      if (kernel != "delta_stepping") return search_top(arguments, kernel == "pull_bfs");
      number == "float32" ? paths_top<float>(arguments) : paths_top<std::uint32_t>(arguments);
    };
    design.number = number;
    design.board = "u280";
    design.pes = kPes;
    design.capacity = 1 << 14;
    design.gather_scatter = "fake";
    design.units = {"unit_1"};
    design.clock_mhz = 300;
    load();
  }
  RunOptions options() const {
    RunOptions options = on_card();
    options.method = design.config;
    return options;
  }
};

std::shared_ptr<const pe_array::PullRows> rows_of(const Csr& csr) {
  Workers workers(1);
  return std::make_shared<pe_array::PullRows>(csr, kPes, workers);
}
std::shared_ptr<const pe_array::DeviceLists> lists_of(const Csr& csr) {
  Workers workers(1);
  return std::make_shared<pe_array::DeviceLists>(csr, kPes, workers);
}
std::vector<std::int32_t> levels_of(const Csr& csr, VertexId root) {
  std::vector<std::int32_t> levels(csr.num_rows, -1);
  std::queue<VertexId> waiting;
  levels[root] = 0;
  for (waiting.push(root); !waiting.empty(); waiting.pop()) {
    const VertexId v = waiting.front();
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      if (levels[csr.targets[e]] >= 0) continue;
      levels[csr.targets[e]] = levels[v] + 1;
      waiting.push(csr.targets[e]);
    }
  }
  return levels;
}
Csr hubs() {
  Edges edges;
  for (const auto& [u, v] : random_edges(4000, 60'000, 5)) {
    const auto squared = [](VertexId w) { return static_cast<VertexId>(std::uint64_t(w) * w / 4000); };
    edges.insert(edges.end(), {{squared(u), squared(v)}, {squared(v), squared(u)}});
  }
  return csr_of(4000, edges);
}
std::vector<Named> all_graphs() {
  std::vector<Named> all = graphs();
  all.push_back({"hubs", hubs()});
  return all;
}

TEST(PesOnCard, SearchInOneLaunchFindsTheLevelsAndATree) {
  OneKernel kernel("pull_bfs");
  bool has_pulled = false;
  for (const auto& [name, csr] : all_graphs()) {
    SCOPED_TRACE(name);
    const auto rows = rows_of(csr);
    for (const VertexId root : {VertexId(0), csr.num_rows / 2, csr.num_rows - 1}) {
      kernel.driver.forget_events();
      const Found found = pe_array::run(rows, root, kernel.options());
      EXPECT_EQ(values(found.depth), levels_of(csr, root));
      expect_tree(csr, root, found);
      EXPECT_EQ(kernel.count("start"), 1);
      EXPECT_EQ(found.stats.device, "fpga");
      RunOptions emulated;
      emulated.device = "emulator";
      emulated.workers = kPes;
      const Found wanted = pe_array::run(rows, root, emulated);
      const auto steps = found.stats.supersteps.records(), expected = wanted.stats.supersteps.records();
      ASSERT_EQ(steps.size(), expected.size());
      for (std::size_t i = 0; i < steps.size(); ++i) {
        EXPECT_EQ(steps[i].kind, expected[i].kind);
        EXPECT_EQ(steps[i].active_vertices, expected[i].active_vertices);
        EXPECT_EQ(steps[i].edges, expected[i].edges);
        has_pulled = has_pulled || steps[i].kind == abi::kPullStep;
      }
    }
  }
  EXPECT_TRUE(has_pulled);
}

TEST(PesOnCard, SearchLevelByLevelFindsTheSame) {
  for (const bool pulls : {false, true}) {
    OneKernel kernel(pulls ? "pull_bfs" : "local_store_bfs");
    for (const auto& [name, csr] : all_graphs()) {
      SCOPED_TRACE(name);
      RunOptions options = kernel.options();
      std::size_t told = 0;
      options.progress = [&](std::uint64_t step, const abi::Superstep&) { EXPECT_EQ(step, told++); };
      kernel.driver.forget_events();
      const Found found = pulls ? pe_array::run(rows_of(csr), 0, options) : pe_array::run(lists_of(csr), 0, options);
      EXPECT_EQ(values(found.depth), levels_of(csr, 0));
      expect_tree(csr, 0, found);
      EXPECT_EQ(kernel.count("start"), static_cast<int>(told));
      EXPECT_EQ(told, found.stats.supersteps.size());
    }
  }
}

TEST(PesOnCard, ShortestPathsAreThoseOfTheEmulator) {
  for (const char* number : {"uint32", "float32"}) {
    OneKernel kernel("delta_stepping", number);
    for (auto& [name, csr] : graphs()) {
      SCOPED_TRACE(name);
      std::mt19937 random(7);
      Csr given = csr;
      if (std::string(number) == "float32") {
        const Writable<float> weights(csr.num_edges());
        for (EdgeCount e = 0; e < csr.num_edges(); ++e) weights[e] = static_cast<float>(random() % 1000) / 8;
        given.weights = weights.freeze();
      } else {
        const Writable<std::int32_t> weights(csr.num_edges());
        for (EdgeCount e = 0; e < csr.num_edges(); ++e) weights[e] = static_cast<std::int32_t>(random() % 100);
        given.weights = weights.freeze();
      }
      Workers workers(1);
      const auto rows = std::make_shared<pe_array::WeightedRows>(given, kPes, workers);
      RunOptions emulated;
      emulated.device = "emulator";
      emulated.workers = kPes;
      const pe_array::Paths wanted = pe_array::shortest_paths(rows, 0, emulated);
      kernel.driver.forget_events();
      const pe_array::Paths found = pe_array::shortest_paths(rows, 0, kernel.options());
      const auto same = [&](const pe_array::Paths& paths) {
        std::visit(
            [&](const auto& distance) {
              using All = std::decay_t<decltype(distance)>;
              EXPECT_EQ(values(distance), values(std::get<All>(wanted.distance)));
            },
            paths.distance);
        EXPECT_EQ(paths.edges, wanted.edges);
      };
      same(found);
      EXPECT_EQ(kernel.count("start"), 1);
      EXPECT_EQ(found.stats.supersteps.size(), 1u);
      RunOptions watched = kernel.options();
      watched.progress = [](std::uint64_t, const abi::Superstep&) {};
      const pe_array::Paths by_phase = pe_array::shortest_paths(rows, 0, watched);
      same(by_phase);
      EXPECT_EQ(by_phase.stats.supersteps.size(), wanted.stats.supersteps.size());
      EXPECT_EQ(by_phase.num_buckets, wanted.num_buckets);
    }
  }
}

TEST(PesOnCard, GraphStaysAsLongAsItsRows) {
  OneKernel kernel("pull_bfs");
  auto rows = rows_of(hubs());
  const Found first = pe_array::run(rows, 0, kernel.options());
  EXPECT_GT(first.stats.card.edge_bytes_uploaded, 100'000u);
  const Found again = pe_array::run(rows, 7, kernel.options());
  EXPECT_EQ(again.stats.card.edge_bytes_uploaded, 0u);
  EXPECT_EQ(again.stats.card.calls.allocations, 0u);
  EXPECT_EQ(values(again.depth), levels_of(hubs(), 7));
  rows.reset();
  pe_array::run(rows_of(csr_of(3, {{0, 1}})), 0, kernel.options());
  std::uint64_t used = 0;
  for (const auto& [bank, num_bytes] : kernel.driver.used) used += num_bytes;
  EXPECT_LT(used, first.stats.card.edge_bytes_uploaded / 4);
}

TEST(PesOnCard, AnyFailureIsAnErrorAndTheNextCallWorks) {
  const auto rows = rows_of(hubs());
  int FakeFaults::* const all[] = {&FakeFaults::allocate, &FakeFaults::to_card, &FakeFaults::start, &FakeFaults::wait,
                                   &FakeFaults::from_card};
  for (int FakeFaults::* const fault : all) {
    for (const int after : {0, 1, 3}) {
      const bool happens_once = fault == &FakeFaults::start || fault == &FakeFaults::wait;
      if (happens_once && after > 0) continue;
      SCOPED_TRACE(message("fault ", std::find(std::begin(all), std::end(all), fault) - all, " after ", after));
      OneKernel kernel("pull_bfs");
      kernel.driver.faults.*fault = after;
      EXPECT_THROW(pe_array::run(rows, 0, kernel.options()), Error);
      kernel.driver.faults = {};
      EXPECT_EQ(values(pe_array::run(rows, 0, kernel.options()).depth), levels_of(hubs(), 0));
    }
  }
}

TEST(PesOnCard, LaunchThatDoesNotEndIsAnErrorThatNamesTheUnit) {
  OneKernel kernel("pull_bfs");
  kernel.card->parts().patience = 100ms;
  kernel.driver.faults.hang = 0;
  const auto rows = rows_of(csr_of(3, {{0, 1}, {1, 2}}));
  try {
    pe_array::run(rows, 0, kernel.options());
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("compute unit 0 (unit_1) has not ended within"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(pe_array::run(rows, 0, kernel.options()), DeviceError);  // it is still under way
  kernel.driver.release();
  kernel.card->parts().patience = 10s;
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(values(pe_array::run(rows, 0, kernel.options()).depth), (std::vector<std::int32_t>{0, 1, 2}));
}

TEST(PesOnCard, InterruptWaitsForTheLaunchAndTheCardGoesOn) {
  OneKernel kernel("pull_bfs");
  kernel.driver.delay = 300ms;
  const auto rows = rows_of(hubs());
  RunOptions options = kernel.options();
  options.interrupted = [&] { return kernel.count("start") > 0; };
  EXPECT_THROW(pe_array::run(rows, 0, options), Cancelled);
  EXPECT_EQ(kernel.count("done"), 1);
  kernel.driver.delay = 0ms;
  const Found found = pe_array::run(rows, 0, kernel.options());
  EXPECT_EQ(values(found.depth), levels_of(hubs(), 0));
  EXPECT_EQ(found.stats.card.edge_bytes_uploaded, 0u);
  EXPECT_EQ(kernel.driver.num_opened, 1);
}

TEST(PesOnCard, WhatDoesNotFitIsOneClearError) {
  const auto expect = [](const std::string& text, const auto& call) {
    try {
      call();
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  OneKernel small("pull_bfs", "uint32", 1 << 18), delta("delta_stepping"), other("local_store_bfs");
  const auto rows = rows_of(hubs());
  expect("and its lists of PE 0", [&] { pe_array::run(rows, 0, small.options()); });
  expect("the card has room for about", [&] { pe_array::run(rows, 0, small.options()); });
  expect("has kernels of config \"local_store_bfs\"", [&] { pe_array::run(rows, 0, other.options()); });
  expect("would own 20480 vertices, and those of fake.xclbin have room for 16384",
         [&] { pe_array::run(rows_of(csr_of(40'000, {})), 0, small.options()); });
  expect("root is 9", [&] { pe_array::run(rows_of(csr_of(9, {})), 9, small.options()); });
  Csr floats = csr_of(2, {{0, 1}});
  const Writable<float> weights(1);
  weights[0] = 1;
  floats.weights = weights.freeze();
  Workers workers(1);
  const auto floating = std::make_shared<pe_array::WeightedRows>(floats, kPes, workers);
  expect("computes with uint32, and the weights of this graph need float32",
         [&] { pe_array::shortest_paths(floating, 0, delta.options()); });
  RunOptions eight = small.options();
  eight.workers = 8;
  expect("has 2 PEs: omit it", [&] { pe_array::num_pes(eight); });
}

TEST(PesOnCard, WordsThatNoKernelWritesAreNotBelieved) {
  OneKernel kernel("pull_bfs");
  const auto search = kernel.driver.alone;
  const auto rows = rows_of(csr_of(3, {{0, 1}, {1, 2}}));
  using Lane = std::pair<int, std::uint64_t>;
  for (const auto& [lane, value] : {Lane{ControlLane::kFirstWord, 0},
                                    {ControlLane::kFirstWord, 1 << 20},
                                    {ControlLane::kNumEntries, ~std::uint64_t(0)}}) {
    kernel.driver.alone = [&, lane = lane, value = value](const FakeDriver::AloneArguments& arguments) {
      search(arguments);
      lines_at<Line>(arguments, "queue", 1)->lane[lane] = value;
    };
    EXPECT_THROW(pe_array::run(rows, 0, kernel.options()), DeviceError);
  }
  kernel.driver.alone = search;
  EXPECT_EQ(values(pe_array::run(rows, 0, kernel.options()).depth), (std::vector<std::int32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace gaspipe
