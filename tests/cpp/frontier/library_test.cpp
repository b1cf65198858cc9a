// SPDX-License-Identifier: Apache-2.0
// A program as compiled from a user's source: its table, and engines of the core that call it.
#include "gaspipe/frontier/library.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "gaspipe/caches.h"
#include "gaspipe/loaded_frontier.h"
#include "tests/cpp/frontier/reference.h"

namespace gaspipe {
namespace {

using namespace testing;

struct Types {
  using Vertex = int;
  using Edge = std::int64_t;
  using Accum = int;
  struct Parameters {
    VertexId root;
    int step;
  };
};
using Engine = frontier::Loops<int, std::int64_t, int>;
constexpr int kFar = 1 << 30;

struct Bfs {
  Types::Parameters parameters;
  int gather(int level, EdgeCount, std::int64_t&) const { return level + parameters.step; }
  int reduce(int a, int b) const { return std::min(a, b); }
  bool cond(int level, int, VertexId) const { return level < 0; }
  void update(int& level, int accumulator) const { level = accumulator; }
};
struct Start {
  void operator()(int& level, int, VertexId v) const { level = v == 0 ? 0 : -1; }
};
struct Count {
  std::int64_t identity() const { return 0; }
  std::int64_t map(int level) const { return level >= 0; }
  std::int64_t reduce(std::int64_t a, std::int64_t b) const { return a + b; }
};
struct Throws {
  void operator()(int&, int, VertexId v) const {
    if (v % 100 == 99) throw std::runtime_error("vertex " + std::to_string(v % 100));
  }
};
struct Drive {
  int operator()(Engine& engine, const Types::Parameters& parameters) const {
    const VertexId n = engine.getVertexCount();
    VertexSubset front(n, parameters.root), reached;
    engine.vertexMap(VertexSubset(n, true), Start());
    int rounds = 0;
    for (; !front.empty(); ++rounds) {
      engine.edgeFilter(reached, front, Bfs{parameters});
      engine.vertexFilter(front, reached, Bfs{parameters});
    }
    return rounds;
  }
};
struct Endless {
  void operator()(Engine& engine) const {
    const VertexSubset all(engine.getVertexCount(), true);
    for (;;) engine.vertexMap(all, Start());
  }
};
struct Degrees {
  int gather(int, EdgeCount outdegree, const std::int64_t&) const { return int(outdegree); }
  int reduce(int a, int b) const { return a + b; }
};
struct Ids {
  void operator()(int& value, int, VertexId v) const { value = int(v); }
};
enum : std::uint32_t { kBfs, kStart, kCount, kThrows, kDrive, kEndless, kDegrees, kIds };

const abi::FrontierTable& table() {
  return *frontier::frontier_table<Types, Bfs, Start, Count, Throws, Drive, Endless, Degrees, Ids>(
      "levels", {"Bfs", "Start", "Count", "Throws", "Drive", "Endless", "Degrees", "Ids"});
}
template <class T>
std::vector<std::uint8_t> bytes(const T& value) {
  std::vector<std::uint8_t> found(sizeof value);
  std::memcpy(found.data(), &value, sizeof value);
  return found;
}
const std::vector<std::uint8_t> kParameters = bytes(Types::Parameters{0, 1});

std::shared_ptr<LoadedFrontier> open(const Graph& graph, const FrontierOptions& options = {}) {
  return std::make_shared<LoadedFrontier>(table(), graph, options, bytes(kFar), abi::kInt64);
}
std::vector<int> levels_of(LoadedFrontier& engine) {
  const int* const values = static_cast<const int*>(engine.values(abi::kVertexValues, false));
  return {values, values + engine.num_vertices()};
}

TEST(FrontierTable, SaysWhatFunctorsServe) {
  const auto calls = [](std::initializer_list<abi::FrontierCall> served) {
    std::uint32_t bits = 0;
    for (const abi::FrontierCall call : served) bits |= 1u << call;
    return bits;
  };
  EXPECT_EQ(table().functors[kBfs].calls,
            calls({abi::kEdgeFilter, abi::kEdgeMap, abi::kVertexFilter, abi::kEdgeVertexFilter}))
      << "and its gather may write edges";
  EXPECT_EQ(table().functors[kStart].calls, calls({abi::kVertexMap}));
  EXPECT_EQ(table().functors[kCount].calls, calls({abi::kVertexReduce}));
  EXPECT_EQ(table().functors[kDrive].calls, calls({abi::kDriver}));
  EXPECT_EQ(table().parameter_bytes, sizeof(Types::Parameters));
}

TEST(LoadedFrontier, TellsProgramsHowFarThisMachinesCachesReach) {
  static std::uint64_t told = 0;
  abi::FrontierTable listening = table();
  listening.open = [](const abi::FrontierGraph* graph, const abi::FrontierSettings* settings, const abi::Host* host,
                      abi::FrontierOutcome* outcome, void** engine) {
    told = host->near_bytes;
    return table().open(graph, settings, host, outcome, engine);
  };
  const LoadedFrontier engine(listening, Graph(odd_graphs().front().csr), {}, bytes(kFar), abi::kInt64);
  EXPECT_EQ(told, near_bytes());
}

TEST(LoadedFrontier, DoesWhatTheEngineDoes) {
  for (const auto& [name, csr] : odd_graphs()) {
    FrontierEngine<int, std::int64_t, int> plain(kFar);
    plain.readGraph(Graph(csr));
    const int rounds = Drive()(plain, {0, 1});
    const std::vector<int> wanted(plain.vertex_values(), plain.vertex_values() + csr.num_rows);
    for (const FrontierOptions& options : all_options()) {
      const auto engine = open(Graph(csr), options);
      const auto answer = engine->call(kDrive, abi::kDriver, nullptr, nullptr, kParameters);
      EXPECT_EQ(answer.integer, rounds) << name;
      EXPECT_EQ(levels_of(*engine), wanted) << name;
      const auto all = engine->all();
      engine->call(kStart, abi::kVertexMap, nullptr, all.get(), kParameters);
      auto front = engine->set_of(Array<VertexId>());
      front = engine->set_of([] {
        const Writable<VertexId> root(1);
        root[0] = 0;
        return root.freeze();
      }());
      while (front->size() > 0) engine->call(kBfs, abi::kEdgeVertexFilter, front.get(), front.get(), kParameters);
      EXPECT_EQ(levels_of(*engine), wanted) << name;
      const auto count = engine->call(kCount, abi::kVertexReduce, nullptr, all.get(), kParameters);
      EXPECT_EQ(count.kind, abi::FrontierOutcome::kInteger);
      EXPECT_EQ(count.integer, std::count_if(wanted.begin(), wanted.end(), [](int level) { return level >= 0; }));
    }
  }
}

// Every edge brings the out-degree of its source; what a vertex gets is kept with its id.
TEST(LoadedFrontier, OfADomainSaysIdsAndDegreesOfTheWholeGraph) {
  const Graph graph = graph_of(200, random_edges(200, 700, 4));
  const Csr& csr = *graph.csr();
  std::vector<int> wanted(200, 0);
  for (VertexId v = 0; v < 200; ++v) {
    for (EdgeCount e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) wanted[csr.targets[e]] += int(csr.degree(v));
  }
  for (const char* strategy : {"balanced", "mix"}) {
    for (const FrontierOptions& options : all_options()) {
      Workers workers(1);
      const Domains domains(graph, 3, {strategy, true});
      VertexId num_seen = 0;
      for (int rank = 0; rank < 3; ++rank) {
        const auto domain = domains.domain(View::kForward, abi::kNone, rank, workers);
        const auto engine = std::make_shared<LoadedFrontier>(table(), *domain, options, bytes(0), abi::kInt64);
        ASSERT_EQ(engine->num_vertices(), domain->num_own + domain->num_ghosts);
        engine->call(kDegrees, abi::kEdgeMap, nullptr, engine->all().get(), kParameters);
        const int* const sums = static_cast<const int*>(engine->values(abi::kAccumulators, false));
        engine->call(kIds, abi::kVertexMap, nullptr, engine->all().get(), kParameters);
        const std::vector<int> ids = levels_of(*engine);
        for (VertexId v = 0; v < domain->num_own; ++v, ++num_seen) {
          ASSERT_EQ(ids[v], int(domain->id(v)));
          ASSERT_EQ(sums[v], wanted[domain->id(v)]) << strategy << ", vertex " << domain->id(v);
        }
        for (VertexId g = 0; g < domain->num_ghosts; ++g) {
          ASSERT_EQ(ids[domain->num_own + g], int(domain->ghost_ids[g]));
        }
      }
      EXPECT_EQ(num_seen, 200u);
    }
  }
}

TEST(LoadedFrontier, CombinesTheAnswersOfParts) {
  const auto engine = open(Graph(csr_of(3, {{0, 1}, {1, 2}})));
  const LoadedFrontier::Answer two{abi::FrontierOutcome::kInteger, 2, 0}, five{abi::FrontierOutcome::kInteger, 5, 0};
  const auto sum = engine->combine(kCount, kParameters, two, five);
  EXPECT_EQ(sum.kind, abi::FrontierOutcome::kInteger);
  EXPECT_EQ(sum.integer, 7);
  EXPECT_THROW(engine->combine(kBfs, kParameters, two, five), InputError);
  EXPECT_THROW(engine->combine(99, kParameters, two, five), InputError);
}

TEST(LoadedFrontier, GivesFunctorsTheParametersOfTheCall) {
  const auto engine = open(Graph(csr_of(3, {{0, 1}, {1, 2}})));
  engine->call(kDrive, abi::kDriver, nullptr, nullptr, bytes(Types::Parameters{0, 10}));
  EXPECT_EQ(levels_of(*engine), (std::vector<int>{0, 10, 20}));
}

TEST(LoadedFrontier, KeepsWhatAFunctorThrowsUntilTheCallEnds) {
  FrontierOptions options;
  options.num_threads = 3;
  const auto engine = open(Graph(csr_of(200'000, {})), options);
  const auto all = engine->all();
  for (int time = 0; time < 3; ++time) {
    try {
      engine->call(kThrows, abi::kVertexMap, nullptr, all.get(), kParameters);
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "levels: the program threw an exception: vertex 99");
    }
    engine->call(kStart, abi::kVertexMap, nullptr, all.get(), kParameters);
    EXPECT_EQ(levels_of(*engine)[199'999], -1);
  }
}

TEST(LoadedFrontier, StopsAtAnInterruptAndGoesOnAfterwards) {
  std::atomic<int> left{-1};  // times to be asked before it stops
  FrontierOptions options;
  options.num_threads = 2;
  options.interrupted = [&] { return left >= 0 && left-- == 0; };
  const auto engine = open(Graph(csr_of(2'000'000, {})), options);
  left = 2;
  EXPECT_THROW(engine->call(kEndless, abi::kDriver, nullptr, nullptr, kParameters), Cancelled);
  const auto all = engine->all();
  engine->call(kStart, abi::kVertexMap, nullptr, all.get(), kParameters);
  EXPECT_EQ(levels_of(*engine)[1], -1);
}

TEST(LoadedFrontier, ReducesAndGathersElementByElement) {
  const int a[] = {1, 5, -3}, b[] = {4, 2, -3};
  int out[3];
  EXPECT_EQ(table().functors[kBfs].reduce(kParameters.data(), a, b, out, 3), abi::kOk);
  EXPECT_EQ(std::vector<int>(out, out + 3), (std::vector<int>{1, 2, -3}));
  const std::uint64_t degrees[] = {1, 1, 1};
  std::int64_t edges[] = {0, 0, 0};
  EXPECT_EQ(table().functors[kBfs].gather(kParameters.data(), a, degrees, edges, out, 3), abi::kOk);
  EXPECT_EQ(std::vector<int>(out, out + 3), (std::vector<int>{2, 6, -2}));
  EXPECT_EQ(table().functors[kStart].reduce, nullptr);
}

TEST(LoadedFrontier, RefusesWhatDoesNotFit) {
  const auto engine = open(Graph(csr_of(3, {{0, 1}})));
  const auto other = open(Graph(csr_of(3, {{0, 1}})));
  const auto all = other->all();
  EXPECT_THROW(engine->call(kStart, abi::kVertexMap, nullptr, all.get(), kParameters), InputError) << "another engine";
  EXPECT_THROW(engine->call(99, abi::kVertexMap, nullptr, all.get(), kParameters), InputError) << "no such functor";
  EXPECT_THROW(engine->call(kDrive, abi::kDriver, nullptr, nullptr, {}), InputError) << "no parameters";
  EXPECT_THROW(engine->call(kBfs, abi::kVertexReduce, nullptr, engine->all().get(), kParameters), InputError);
  EXPECT_THROW(LoadedFrontier(table(), Graph(csr_of(1, {})), {}, {1}, abi::kNone), InputError) << "size of the default";
  EXPECT_THROW(load_frontier("nowhere", "levels"), InputError);
  EXPECT_THROW(load_frontier("./nowhere.so", "levels"), Error);
}

}  // namespace
}  // namespace gaspipe
