// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "gaspipe/generate.h"
#include "tests/cpp/frontier/reference.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// OLV-2: 12, 8 and 8 bytes.
struct Place {
  float x, y, z;
};
struct Link {
  float length;
  std::int32_t kind;
};
struct Farthest {
  double gather(const Place& place, EdgeCount outdegree, const Link& link) const {
    return double(place.x) * double(outdegree) + double(link.length);
  }
  double reduce(double a, double b) const { return std::max(a, b); }
  bool cond(const Place& place, double far, VertexId) const { return far > double(place.y); }
  void update(Place& place, double far) const { place.z = float(far); }
};
TEST(FrontierEngine, TakesThreeTypesOfValues) {
  const Csr csr = csr_of(200, random_edges(200, 3000, 8));
  for (const FrontierOptions& options : all_options()) {
    Olive<Place, Link, double> engine(-1, options);
    engine.readGraph(Graph(csr));
    for (EdgeCount e = 0; e < engine.getEdgeCount(); ++e) engine.edge_values()[e] = {float(e % 17), 1};
    const VertexSubset all(200, true);
    engine.vertexMap(all, [](Place& place, double, VertexId v) { place = {float(v % 10), float(v), -1}; });
    VertexSubset reached;
    engine.edgeFilter(reached, all, Farthest());
    engine.vertexFilter(reached, reached, Farthest());
    std::vector<double> far(200, -1);
    for (VertexId v = 0; v < 200; ++v) {
      for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
        far[csr.targets[e]] = std::max(far[csr.targets[e]], double(v % 10) * double(csr.degree(v)) + double(e % 17));
      }
    }
    engine.vertexTransform([&](VertexId v, const Place& place) {
      ASSERT_EQ(place.z, far[v] > v ? float(far[v]) : -1);
      ASSERT_EQ(reached.contains(v), far[v] > v);
    });
  }
}

struct AddOne {
  std::int32_t gather(std::int32_t value, EdgeCount, NoValue&) const { return value + 1; }
  std::int32_t reduce(std::int32_t a, std::int32_t b) const { return a + b; }
  bool cond(std::int32_t, std::int32_t, VertexId) const { return true; }
  void update(std::int32_t& value, std::int32_t accum) const { value = accum; }
};
using Engine = FrontierEngine<std::int32_t, NoValue, std::int32_t>;

// OLV-12, OLV-13.
TEST(FrontierEngine, ReadsGraphsAndFiles) {
  const std::string path = ::testing::TempDir() + "frontier_graph.txt";
  std::ofstream(path) << "# a comment\n4 5\n0 1\n1 2\n2 0\n3 0\n0 2\n";
  std::vector<std::int32_t> expected;
  for (const int num_parts : {0, 1, 2, 3, 8}) {
    Engine engine(0);
    if (num_parts == 0) {
      engine.readGraph(graph_of(4, {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {0, 2}}));
    } else {
      engine.readGraph(path, num_parts);
    }
    EXPECT_EQ(engine.getVertexCount(), 4u);
    EXPECT_EQ(engine.getEdgeCount(), 5u);
    VertexSubset front(4, true);
    for (int round = 0; round < 3; ++round) engine.edgeVertexFilter(front, front, AddOne());
    const auto values = copy(std::as_const(engine).vertex_values(), 4);
    if (expected.empty()) expected = values;
    EXPECT_EQ(values, expected);
  }
  EXPECT_EQ(expected, (std::vector<std::int32_t>{6, 4, 8, 0}));  // by hand, round by round
  Engine engine(0);
  EXPECT_EQ(refusal([&] { engine.readGraph(path, 0); }), "readGraph: 0 parts; use 1 or more");
  EXPECT_EQ(refusal([&] { engine.readGraph(path + "x"); }),
            "cannot read '" + path + "x': No such file or directory; give the path of a text file");
  std::ofstream(path) << "3 2\n2\n1 3\n2\n";
  engine.readGraph(path, 1, GraphFile::kDimacs10);
  EXPECT_EQ(engine.getEdgeCount(), 4u) << "both directions";
  std::ofstream(path) << "0 1\n1 x\n";
  EXPECT_THROW(engine.readGraph(path), GraphFormatError);
  EXPECT_EQ(engine.getEdgeCount(), 4u) << "the graph before is still there";
  engine.edgeMap(VertexSubset(3, true), AddOne());
}

TEST(FrontierEngine, TakesWeightsAsEdgeValues) {
  Csr csr = csr_of(3, {{0, 1}, {1, 2}, {2, 0}});
  csr.weights = array(std::vector<double>{2, 3.5, -1});
  FrontierEngine<int, double, int> doubles(0);
  doubles.readGraph(Graph(csr));
  EXPECT_EQ(copy(doubles.edge_values(), 3), (std::vector<double>{2, 3.5, -1}));
  FrontierEngine<int, std::int32_t, int> integers(0);
  EXPECT_NE(refusal([&] { integers.readGraph(Graph(csr)); }).find("weight 3.5 (edge 1) does not fit"),
            std::string::npos);
  FrontierEngine<int, Link, int> structs(0);
  structs.readGraph(Graph(csr));
  EXPECT_EQ(structs.edge_values()[1].length, 0) << "other types do not take weights";
  csr.weights = {};
  doubles.readGraph(Graph(csr));
  EXPECT_EQ(copy(doubles.edge_values(), 3), (std::vector<double>{1, 1, 1}));
  FrontierEngine<int, NoValue, int> none(0);
  none.readGraph(Graph(csr));
  EXPECT_EQ(none.edge_values(), nullptr);
}

TEST(FrontierEngine, RefusesWhatDoesNotBelongToItsGraph) {
  Engine engine(0);
  VertexSubset dst, of_three(3, true), of_four(4, true);
  const auto map = [](std::int32_t&, std::int32_t) {};
  const std::string no_graph = ": this engine has no graph; call readGraph first";
  EXPECT_EQ(refusal([&] { engine.edgeFilter(dst, of_three, AddOne()); }), "edgeFilter" + no_graph);
  EXPECT_EQ(refusal([&] { engine.edgeMap(of_three, AddOne()); }), "edgeMap" + no_graph);
  EXPECT_EQ(refusal([&] { engine.vertexFilter(dst, of_three, AddOne()); }), "vertexFilter" + no_graph);
  EXPECT_EQ(refusal([&] { engine.vertexMap(of_three, map); }), "vertexMap" + no_graph);
  EXPECT_EQ(refusal([&] { engine.edgeVertexFilter(dst, of_three, AddOne()); }), "edgeVertexFilter" + no_graph);
  EXPECT_EQ(refusal([&] { engine.vertexTransform([](VertexId, std::int32_t) {}); }), "vertexTransform" + no_graph);
  EXPECT_EQ(refusal([&] { engine.vertexReduce(0, [](int v) { return v; }, std::plus<int>()); }),
            "vertexReduce" + no_graph);
  EXPECT_EQ(engine.getVertexCount(), 0u);
  EXPECT_EQ(engine.vertex_values(), nullptr);

  engine.readGraph(graph_of(4, {{0, 1}}));
  EXPECT_EQ(refusal([&] { engine.vertexMap(of_three, map); }),
            "vertexMap: the source set is of 3 vertices, the graph has 4; make it with getVertexCount()");
  EXPECT_EQ(refusal([&] { engine.edgeFilter(of_three, of_four, AddOne()); }),
            "edgeFilter: the destination set is of 3 vertices, the graph has 4; make it with getVertexCount()");
  EXPECT_EQ(refusal([&] { engine.edgeFilter(dst, VertexSubset(), AddOne()); }),
            "edgeFilter: the source set is of 0 vertices, the graph has 4; make it with getVertexCount()");
  engine.edgeFilter(dst, of_four, AddOne());
  EXPECT_EQ(dst.vertices(), std::vector<VertexId>{1}) << "the engine goes on";

  FrontierOptions options;
  options.group = 3;
  EXPECT_EQ(refusal([&] { Engine(0, options); }), "group is 3; use 1, 2, 4, 8, 16 or 32");
  options.group = 1;
  options.num_threads = -1;
  EXPECT_NE(refusal([&] { Engine(0, options); }), "");
}

// A set may be used by one engine after another, and outlive them.
TEST(FrontierEngine, SharesSetsWithOtherEngines) {
  VertexSubset set(5, std::vector<VertexId>{0, 3}), reached;
  for (const Edges& edges : {Edges{{0, 1}, {3, 4}}, Edges{{0, 2}, {3, 2}, {3, 1}}, Edges{}}) {
    Engine engine(0);
    engine.readGraph(graph_of(5, edges));
    engine.edgeFilter(reached, set, AddOne());
    EXPECT_EQ(reached.size(), edges.empty() ? 0u : 2u);
    set.to_bitmap();
    engine.edgeFilter(reached, set, AddOne());
    EXPECT_EQ(reached.size(), edges.empty() ? 0u : 2u);
    set.to_queue();
  }
  reached = std::move(set);
  reached.to_bitmap();
  EXPECT_EQ(reached.vertices(), (std::vector<VertexId>{0, 3}));
}

// After an interrupt, in whatever call, the engine works again.
TEST(FrontierEngine, GoesOnAfterAnInterrupt) {
  const Csr csr = csr_of(3000, random_edges(3000, 60000, 2));
  for (FrontierOptions options : all_options()) {
    std::atomic<bool> stop{false};
    options.interrupted = [&] { return stop.exchange(false); };
    Engine engine(0, options);
    engine.readGraph(Graph(csr));
    const VertexSubset all(3000, true);
    VertexSubset dst;
    const auto slow = [](std::int32_t&, std::int32_t) { std::this_thread::sleep_for(std::chrono::microseconds(20)); };
    for (int round = 0; round < 2; ++round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(21));  // interrupts are looked for every 20 ms
      stop = true;
      EXPECT_THROW(
          {
            engine.vertexMap(all, slow);
            engine.edgeFilter(dst, all, AddOne());
          },
          Cancelled);
      engine.vertexMap(all, [](std::int32_t& value, std::int32_t accum) { value = accum; });
      EXPECT_EQ(std::as_const(engine).vertex_values()[77], 0) << "the default accumulator";
      engine.edgeFilter(dst, all, AddOne());
      std::int64_t total = 0;
      for (VertexId v = 0; v < 3000; ++v) total += engine.accumulators()[v];
      EXPECT_EQ(total, 60000);
    }
  }
}

TEST(FrontierEngine, GoesOnAfterAnExceptionOfAFunctor) {
  struct RefusesNegative : AddOne {
    std::int32_t gather(std::int32_t value, EdgeCount, NoValue&) const {
      return value < 0 ? throw std::domain_error("negative") : value;
    }
  };
  const Csr csr = csr_of(700, random_edges(700, 12000, 3));
  for (const FrontierOptions& options : all_options()) {
    Engine engine(0, options);
    engine.readGraph(Graph(csr));
    const VertexSubset all(700, true);
    engine.vertexMap(VertexSubset(700, 350), [](std::int32_t& value, std::int32_t) { value = -1; });
    VertexSubset dst(700, 5);
    EXPECT_THROW(engine.edgeFilter(dst, all, RefusesNegative()), std::domain_error);
    EXPECT_TRUE(dst.empty());
    engine.edgeFilter(dst, all, AddOne());
    std::int64_t total = 0;
    for (VertexId v = 0; v < 700; ++v) total += engine.accumulators()[v];
    EXPECT_EQ(total, 12000 - EdgeCount(csr.degree(350)));
  }
}

// No lock stays held.
struct Locked {
  int level;
  char other[20];
};
struct Throws {
  static constexpr bool kFinalOnceSet = true;
  bool throws;
  int gather(const Locked& value, EdgeCount, NoValue&) const {
    return throws ? throw std::domain_error("thrown") : value.level + 1;
  }
  int reduce(int a, int b) const { return std::min(a, b); }
  bool cond(const Locked& value, int, VertexId) const { return value.level == 0; }
  void update(Locked& value, int level) const { value.level = level; }
};
TEST(FrontierEngine, GoesOnAfterAnExceptionBehindALock) {
  const Csr csr = csr_of(700, random_edges(700, 12000, 3));
  for (const FrontierOptions& options : all_options()) {
    FrontierEngine<Locked, NoValue, int> engine(1 << 20, options);
    engine.readGraph(Graph(csr));
    std::vector<VertexId> sources(350);
    std::iota(sources.begin(), sources.end(), 0);
    const VertexSubset front(700, sources);
    engine.vertexMap(front, [](Locked& value, int) { value.level = 1; });
    VertexSubset dst;
    EXPECT_THROW(engine.edgeVertexFilter(dst, front, Throws{true}), std::domain_error);
    engine.edgeVertexFilter(dst, front, Throws{false});
    std::set<VertexId> expected;
    for (EdgeCount e = 0; e < csr.offsets[350]; ++e) {
      if (csr.targets[e] >= 350) expected.insert(csr.targets[e]);
    }
    EXPECT_EQ(dst.vertices(), std::vector<VertexId>(expected.begin(), expected.end()));
  }
}

struct Spread : AddOne {
  std::int32_t reduce(std::int32_t a, std::int32_t b) const { return std::max(a, b); }
};

// OLV-36.
TEST(FrontierEngine, LogsUpToALevelAndTimesItsPhases) {
  Workers workers(1);
  const Graph graph(grid(60, 60, true, workers));
  for (const LogLevel level : {LogLevel::kError, LogLevel::kWarning, LogLevel::kInfo, LogLevel::kDebug}) {
    std::vector<std::string> lines;
    FrontierOptions options;
    options.log_level = level;
    options.log = [&](LogLevel of, const std::string& text) {
      EXPECT_LE(of, level);
      lines.push_back(text);
    };
    Engine engine(0, options);
    engine.readGraph(graph);
    VertexSubset front(3600, 0);
    for (int round = 0; round < 20; ++round) engine.edgeVertexFilter(front, front, Spread());
    ASSERT_EQ(lines.size(), level == LogLevel::kDebug ? 21u : level == LogLevel::kInfo ? 1u : 0u);
    if (lines.empty()) continue;
    EXPECT_EQ(lines[0], "readGraph: 3600 vertices, 14160 edges");
    if (level == LogLevel::kDebug) {
      EXPECT_EQ(lines[1].find("edgeVertexFilter, push: 1 vertices, 2 edges -> 2 vertices, "), 0u) << lines[1];
    }
    double sum = 0;
    for (const double seconds : engine.phases()) sum += seconds;
    EXPECT_NEAR(sum, engine.seconds(), 0.05 * engine.seconds());
    EXPECT_GT(engine.phases()[abi::kScatterGather], 0);
    EXPECT_GT(engine.phases()[abi::kApply], 0);
    EXPECT_GT(engine.phases()[abi::kStart], 0);
  }
}

// OLV-38.
TEST(FrontierEngine, PassesOver20MillionVertices) {
  constexpr VertexId n = 20'000'000;
  FrontierOptions options;
  options.num_threads = 2;
  FrontierEngine<std::uint8_t, NoValue, std::uint8_t> engine(0, options);
  engine.readGraph(Graph(csr_of(n, {{n - 1, 0}, {n - 1, n - 2}})));
  const VertexSubset all(n, true);
  VertexSubset reached;
  EXPECT_EQ(all.size(), n);
  struct Odd {
    std::uint8_t gather(std::uint8_t value, EdgeCount, NoValue&) const { return value; }
    std::uint8_t reduce(std::uint8_t a, std::uint8_t b) const { return a | b; }
    bool cond(std::uint8_t, std::uint8_t, VertexId v) const { return v % 64 == 63; }
    void update(std::uint8_t& value, std::uint8_t) const { value = 1; }
  };
  engine.vertexFilter(reached, all, Odd());
  EXPECT_EQ(reached.size(), n / 64);
  engine.edgeFilter(reached, VertexSubset(n, n - 1), Odd());
  EXPECT_EQ(reached.vertices(), (std::vector<VertexId>{0, n - 2}));
}

// OLV-38: offsets past 2^32, in memory of which only the pages with edges are there.
TEST(FrontierLoops, CountEdgesPast32Bits) {
  constexpr EdgeCount first = (EdgeCount(1) << 32) + 4096, num_edges = first + 3;
  const std::size_t num_bytes = num_edges * sizeof(VertexId);
  void* const memory =
      mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no address space of " << num_bytes << " bytes";
  auto* const targets = static_cast<VertexId*>(memory);
  targets[first] = 2, targets[first + 1] = 2, targets[first + 2] = 0;
  struct Degrees {
    std::int64_t gather(std::int32_t, EdgeCount outdegree, NoValue&) const { return std::int64_t(outdegree); }
    std::int64_t reduce(std::int64_t a, std::int64_t b) const { return a + b; }
  };
  const std::uint64_t offsets[] = {0, first, num_edges, num_edges};  // no call walks the row of vertex 0
  frontier::Threads threads(2, {});
  struct NoEdgeValues : frontier::Loops<std::int32_t, NoValue, std::int64_t> {
    using Base = frontier::Loops<std::int32_t, NoValue, std::int64_t>;
    NoEdgeValues(const frontier::LentGraph& graph, const abi::Host& host) : Base(0, {}) { attach(graph, host, {}); }
  };
  NoEdgeValues loops({{3, num_edges, offsets, 8, targets, nullptr}, nullptr, nullptr}, threads.host());
  VertexSubset reached;
  loops.edgeFilter(reached, VertexSubset(3, 1), Degrees());
  EXPECT_EQ(reached.vertices(), (std::vector<VertexId>{0, 2}));
  EXPECT_EQ(copy(loops.accumulators(), 3), (std::vector<std::int64_t>{3, 0, 6}));
  munmap(memory, num_bytes);
}

}  // namespace
}  // namespace gaspipe
