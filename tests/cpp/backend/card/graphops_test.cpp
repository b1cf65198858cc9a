// SPDX-License-Identifier: Apache-2.0
// Accelerators of GraphOps' blocks on a card, on a fake one that runs the kernels without streams. Answers are compared
// with those of the CPU, and of the emulator where rounding decides.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "cpp/src/backend/card/parts.h"
#include "cpp/src/backend/emulator/block_accelerator.h"
#include "gaspipe/accelerator.h"
#include "gaspipe/block_algorithms.h"
#include "gaspipe/run.h"
#include "hls/block/end_collect.h"
#include "tests/cpp/backend/card/answers.h"
#include "tests/cpp/backend/card/fake_rig.h"
#include "tests/cpp/testing.h"
#include "tests/hls/kernel/searches.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;
using namespace std::chrono_literals;

struct Blocks : FakeRig {
  // A program, or without a number an algorithm of the CPU.
  explicit Blocks(const std::string& name, const std::string& number = "", std::uint64_t bank_bytes = 64 << 20) {
    const std::string kernel = "graphops_" + name;
    driver.config = design.config = kernel;
    driver.banks.push_back({0, "DDR[0]", bank_bytes});
    driver.connected = [](const std::string&, int, bool) { return std::vector<int>{0}; };
    code = number.empty() ? block_kernel(name) : find_kernel(instance_of(find_program(name), number), kernel);
    driver.alone = [this](const FakeDriver::AloneArguments& arguments) { top(arguments); };
    design.algorithm = name;
    design.number = number;
    design.board = "u250";
    design.gather_scatter = "fake";
    design.units = {"unit_1"};
    design.clock_mhz = 300;
    load();
  }
  void top(const FakeDriver::AloneArguments& arguments) const {
    const KernelTable& table = find_kernel_table(driver.config);
    std::vector<abi::Buffer> buffers;
    std::vector<std::uint32_t> scalars;
    for (std::size_t p = 0; p < table.num_ports; ++p) {
      const Port& port = table.ports[p];
      if (port.kind == PortKind::kScalar) {
        scalars.push_back(arguments.scalar(port.name));
      } else {
        buffers.push_back({arguments.memory(port.name, 0), std::uint64_t(1) << 40});
      }
    }
    const abi::KernelCall call = {buffers.data(), scalars.data(), 1, true};
    abi::Emulation emulation{};
    emulation.execution = abi::kFast;
    emulation.stopped = [](void*) -> std::int32_t { return 0; };
    EXPECT_EQ(code.run(&call, &emulation), abi::kOk);
  }
  RunOptions options() const {
    RunOptions options = on_card();
    options.design = "graphops";
    return options;
  }

  abi::Kernel code;
};

Csr hubs() {
  Edges edges;
  for (const auto& [u, v] : random_edges(3000, 30'000, 5)) {
    edges.push_back({static_cast<VertexId>(std::uint64_t(u) * u / 3000), v});
  }
  return csr_of(3000, edges);
}
std::vector<Named> all_graphs() {
  std::vector<Named> all = graphs();
  all.push_back({"hubs", hubs()});
  return all;
}
template <class T>
Csr weighted(Csr csr) {
  std::mt19937 random(7);
  const Writable<T> weights(csr.num_edges());
  for (EdgeCount e = 0; e < csr.num_edges(); ++e) weights[e] = static_cast<T>(1 + random() % 100);
  csr.weights = weights.freeze();
  return csr;
}
Arguments ones(const Csr& csr) {
  const Writable<float> x(csr.num_rows);
  std::fill_n(x.data(), csr.num_rows, 1.0f);
  return {{"x", x.freeze()}};
}
std::vector<std::uint8_t> bytes(const Result& result) { return {result.values.begin(), result.values.end()}; }

TEST(GraphopsOnCard, SearchesGiveTheAnswersOfTheCpu) {
  Blocks bfs("bfs", "uint32"), sssp("sssp", "uint32");
  for (const auto& [name, csr] : all_graphs()) {
    SCOPED_TRACE(name);
    for (const VertexId root : {VertexId(0), csr.num_rows - 1}) {
      const Arguments arguments{{"root", std::int64_t(root)}};
      const Graph graph(csr), lengths(weighted<std::int32_t>(csr));
      const Result levels = run(find_program("bfs"), graph, arguments, bfs.options());
      EXPECT_EQ(bytes(levels), bytes(run(find_program("bfs"), graph, arguments, {})));
      EXPECT_EQ(levels.stats.device, "fpga");
      EXPECT_EQ(levels.stats.board, "u250");
      EXPECT_EQ(levels.stats.blocks->kernel, "graphops_bfs");
      EXPECT_EQ(bytes(run(find_program("sssp"), lengths, arguments, sssp.options())),
                bytes(run(find_program("sssp"), lengths, arguments, {})));
    }
  }
}

TEST(GraphopsOnCard, GathersGiveTheBitsOfTheEmulator) {
  Blocks pagerank("pagerank", "fixed"), spmv("spmv", "float32");
  for (const auto& [name, csr] : all_graphs()) {
    SCOPED_TRACE(name);
    const Graph graph(csr), matrix(weighted<float>(csr));
    RunOptions emulated;
    emulated.device = "emulator";
    emulated.design = "graphops";
    emulated.number = "fixed";
    EXPECT_EQ(bytes(run(find_program("pagerank"), graph, {}, pagerank.options())),
              bytes(run(find_program("pagerank"), graph, {}, emulated)));
    emulated.number = "float32";
    EXPECT_EQ(bytes(run(find_program("spmv"), matrix, ones(csr), spmv.options())),
              bytes(run(find_program("spmv"), matrix, ones(csr), emulated)));
  }
}

TEST(GraphopsOnCard, AlgorithmsOfTheCpuGiveItsAnswers) {
  Blocks conductance("conductance"), cover("vertex_cover");
  const auto same = [](const CpuAlgorithm& algorithm, const CpuResult& found, const CpuResult& wanted) {
    ASSERT_EQ(found.values.size(), wanted.values.size());
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      ASSERT_EQ(found.values[i].size, wanted.values[i].size);
      const std::string dtype = algorithm.fields[i].dtype;
      const std::size_t num_bytes = found.values[i].size * (dtype == "bool"                  ? 1
                                                            : dtype.find("32") == dtype.npos ? 8
                                                                                             : 4);
      EXPECT_EQ(std::memcmp(found.values[i].data, wanted.values[i].data, num_bytes), 0) << algorithm.fields[i].name;
    }
  };
  for (const auto& [name, csr] : all_graphs()) {
    if (csr.num_rows > 1000) continue;  // a cover takes an edge a launch
    SCOPED_TRACE(name);
    const Graph graph(csr);
    const Writable<std::int64_t> members(csr.num_rows / 3 + 1);
    for (std::size_t i = 0; i < members.size(); ++i) members[i] = static_cast<std::int64_t>(i);
    const Arguments arguments{{"members", members.freeze()}};
    const CpuAlgorithm &cuts = find_cpu_algorithm("conductance"), &covers = find_cpu_algorithm("vertex_cover");
    same(cuts, run_on_device(cuts, graph, arguments, conductance.options()), run_on_device(cuts, graph, arguments, {}));
    const CpuResult covered = run_on_device(covers, graph, {}, cover.options());
    same(covers, covered, run_on_device(covers, graph, {}, {}));
    EXPECT_EQ(covered.stats.device, "fpga");
  }
}

TEST(GraphopsOnCard, RowsStayAsLongAsTheGraph) {
  Blocks bfs("bfs", "uint32");
  {
    const Graph graph(hubs());
    const Result first = run(find_program("bfs"), graph, {{"root", std::int64_t(0)}}, bfs.options());
    EXPECT_GT(first.stats.card.edge_bytes_uploaded, 100'000u);
    const Result again = run(find_program("bfs"), graph, {{"root", std::int64_t(5)}}, bfs.options());
    EXPECT_EQ(again.stats.card.edge_bytes_uploaded, 0u);
    EXPECT_EQ(again.stats.card.calls.allocations, 0u);
    EXPECT_EQ(bytes(again), bytes(run(find_program("bfs"), graph, {{"root", std::int64_t(5)}}, {})));
  }
  run(find_program("bfs"), Graph(csr_of(3, {{0, 1}})), {{"root", std::int64_t(0)}}, bfs.options());
  std::uint64_t used = 0;
  for (const auto& [bank, num_bytes] : bfs.driver.used) used += num_bytes;
  EXPECT_LT(used, 10'000u);
}

TEST(GraphopsOnCard, AnyFailureIsAnErrorAndTheNextCallWorks) {
  const Graph graph(hubs());
  const Arguments arguments{{"root", std::int64_t(0)}};
  const auto wanted = bytes(run(find_program("bfs"), graph, arguments, {}));
  int FakeFaults::* const all[] = {&FakeFaults::allocate, &FakeFaults::to_card, &FakeFaults::start, &FakeFaults::wait,
                                   &FakeFaults::from_card};
  for (int FakeFaults::* const fault : all) {
    for (const int after : {0, 1, 2}) {
      SCOPED_TRACE(message("fault ", std::find(std::begin(all), std::end(all), fault) - all, " after ", after));
      Blocks bfs("bfs", "uint32");
      bfs.driver.faults.*fault = after;
      EXPECT_THROW(run(find_program("bfs"), graph, arguments, bfs.options()), Error);
      bfs.driver.faults = {};
      EXPECT_EQ(bytes(run(find_program("bfs"), graph, arguments, bfs.options())), wanted);
    }
  }
}

TEST(GraphopsOnCard, InterruptWaitsForTheLaunchAndTheCardGoesOn) {
  Blocks bfs("bfs", "uint32");
  bfs.driver.delay = 300ms;
  const Graph graph(hubs());
  const Arguments arguments{{"root", std::int64_t(0)}};
  RunOptions options = bfs.options();
  options.interrupted = [&] { return bfs.count("start") > 0; };
  EXPECT_THROW(run(find_program("bfs"), graph, arguments, options), Cancelled);
  EXPECT_EQ(bfs.count("done"), 1);
  bfs.driver.delay = 0ms;
  const Result found = run(find_program("bfs"), graph, arguments, bfs.options());
  EXPECT_EQ(bytes(found), bytes(run(find_program("bfs"), graph, arguments, {})));
  EXPECT_EQ(found.stats.card.edge_bytes_uploaded, 0u);
}

template <class Call>
void expect_error(const std::string& text, const Call& call) {
  try {
    call();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(GraphopsOnCard, WordsThatNoKernelWritesAreNotBelieved) {
  Blocks bfs("bfs", "uint32");
  const Graph graph(csr_of(40, {{0, 1}, {1, 2}, {2, 39}}));
  const Arguments arguments{{"root", std::int64_t(0)}};
  const auto search = [&] { run(find_program("bfs"), graph, arguments, bfs.options()); };
  const auto after = [&](const char* port, std::uint64_t word, std::uint64_t value) {
    bfs.driver.alone = [&bfs, port, word, value](const FakeDriver::AloneArguments& given) {
      bfs.top(given);
      static_cast<std::uint64_t*>(given.memory(port, 0))[word] = value;
    };
  };
  after("ends", 0, block::kTimedOut);
  expect_error("wrote 2 where it says that all blocks have ended", search);
  after("ends", 2, 1 << 20);
  expect_error("wrote a set of 1048576 groups", search);
  after("next_set", 0, std::uint64_t(2) << 32 | 1 << 15);
  expect_error("wrote a set with vertex 47 of 40", search);
  after("next_set", 0, std::uint64_t(1) << 32 | 1 << 15);  // one that is there
  EXPECT_NO_THROW(search());

  Blocks cover("vertex_cover");
  const auto find = [&] { run_on_device(find_cpu_algorithm("vertex_cover"), graph, {}, cover.options()); };
  for (const auto& [word, value] : {std::pair(2, 3), std::pair(3, 40), std::pair(3, 1)}) {
    int launches = 0;  // in the third the first one's edge again: its owner alone is another
    cover.driver.alone = [&, word = word, value = value](const FakeDriver::AloneArguments& given) {
      cover.top(given);
      if (value == 1 && ++launches == 1) return;
      static_cast<std::uint64_t*>(given.memory("ends", 0))[2 + 1] = 1;  // there is one
      static_cast<std::uint64_t*>(given.memory("ends", 0))[2 + word] = static_cast<std::uint64_t>(value);
    };
    expect_error("which is no edge or is covered", find);
  }
}

TEST(GraphopsOnCard, AcceleratorBeginsAgainAfterAFailure) {
  Blocks bfs("bfs", "uint32");
  const auto graph = std::make_shared<const Graph>(hubs());
  const Arguments arguments{{"root", std::int64_t(0)}};
  const auto wanted = bytes(run(find_program("bfs"), *graph, arguments, {}));
  Accelerator accelerator(find_program("bfs"), bfs.options());
  accelerator.load(graph);
  const auto go = [&] {
    while (accelerator.superstep()) continue;
  };
  for (int FakeFaults::* const fault : {&FakeFaults::allocate, &FakeFaults::to_card, &FakeFaults::start}) {
    bfs.driver.faults.*fault = 0;
    accelerator.preprocess(arguments);
    EXPECT_THROW(go(), Error);
    bfs.driver.faults = {};
    EXPECT_THROW(go(), Error);  // it takes no more steps
    accelerator.preprocess(arguments);
    go();
    EXPECT_EQ(bytes(accelerator.result()), wanted);
  }
}

TEST(GraphopsOnCard, WhatDoesNotFitIsOneClearError) {
  Blocks small("bfs", "uint32", 1 << 16), bfs("bfs", "uint32"), sssp("sssp", "uint32");
  const Graph graph(hubs());
  const Arguments arguments{{"root", std::int64_t(0)}};
  const auto search = [&](const RunOptions& options) { run(find_program("bfs"), graph, arguments, options); };
  expect_error("the card has room for about", [&] { search(small.options()); });
  expect_error("fake.xclbin holds sssp, not bfs", [&] { search(sssp.options()); });
  RunOptions other = bfs.options();
  other.scheduler = "longest_first";
  expect_error("has one kernel: omit it", [&] { search(other); });
  other = RunOptions();
  other.design = "graphops";
  expect_error("run in the emulator and on cards, and device is \"cpu\"", [&] { search(other); });
  bfs.card.reset();
  bfs.driver.config = bfs.design.config = "graphops_sssp";
  bfs.load();
  expect_error("has kernels of config \"graphops_sssp\"; design=\"graphops\" needs one of \"graphops_bfs\"",
               [&] { search(bfs.options()); });
}

}  // namespace
}  // namespace gaspipe
