// SPDX-License-Identifier: Apache-2.0
// The accelerators of GraphOps' blocks, with every task and stream and without, against loops over plain arrays; whole
// runs are in tests/python/test_graphops.py.
#include "gaspipe/engine/kernel/graphops.h"

#include <cstring>
#include <map>

#include "hls/algorithm/bfs.h"
#include "hls/algorithm/pagerank.h"
#include "hls/algorithm/sssp.h"
#include "tests/hls/block/chain.h"

namespace gaspipe {
namespace {

using block::testing::as_values;
using block::testing::as_words;
using block::testing::Random;
using block::testing::Rows;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using PageRank = algorithm::pagerank::Hooks<Fixed<32>>;
using Bfs = algorithm::bfs::Hooks<u32>;
using Sssp = algorithm::sssp::Hooks<u32>;
constexpr u32 kUnreached = 0xffffffff;

struct Graph {
  Rows rows;
  std::vector<VertexId> targets;
  std::vector<u32> weights;

  Graph(VertexId n, std::uint32_t most, Random& random) : rows(block::testing::random_degrees(n, most, random)) {
    for (EdgeCount e = 0; e < rows.num_edges(); ++e) {
      targets.push_back(static_cast<VertexId>(random() % n));
      weights.push_back(static_cast<u32>(1 + random() % 30));
    }
  }
  template <class T>
  std::vector<T> along(const std::vector<T>& properties) const {
    std::vector<T> values;
    for (VertexId v : targets) values.push_back(properties[v]);
    return values;
  }
};

// A call of a kernel by the names of its ports.
class Call {
 public:
  template <class T>
  void add(const std::string& port, const std::vector<T>& values, T padding = T()) {
    const auto words = as_words<T>(values, padding);
    auto& bytes = buffers_[port];
    bytes.resize(std::max<std::size_t>(1, words.size()));
    if (!words.empty()) std::memcpy(static_cast<void*>(bytes.data()), words.data(), words.size() * 64);
  }
  void share(const std::string& port, const std::string& with) { same_[port] = with; }
  void set(const std::string& port, u32 value) { scalars_[port] = value; }

  template <class Kernel>
  void run(abi::Execution execution) {
    std::vector<abi::Buffer> buffers;
    std::vector<u32> scalars;
    for (const Port& port : Kernel::kPorts) {
      if (port.kind == PortKind::kScalar) {
        scalars.push_back(scalars_.at(port.name));
      } else {
        auto& bytes = buffers_.at(same_.count(port.name) != 0 ? same_[port.name] : port.name);
        buffers.push_back({bytes.data(), bytes.size() * 64});
      }
    }
    const abi::KernelCall call = {buffers.data(), scalars.data(), 1, 0};
    std::vector<char> report(4000);
    abi::Emulation emulation{};
    emulation.execution = execution;
    emulation.banks_per_unit = 4;
    emulation.bytes_per_cycle = 72;
    emulation.latency = 57;
    emulation.stopped = [](void*) -> std::int32_t { return 0; };
    emulation.report = report.data();
    emulation.report_size = report.size();
    ASSERT_EQ(engine::run_kernel<Kernel>(&call, &emulation), abi::kOk) << report.data();
    cycles = emulation.cycles;
  }
  template <class T>
  std::vector<T> values(const std::string& port, std::size_t num) const {
    std::vector<T> values(num);
    if (num != 0) std::memcpy(values.data(), buffers_.at(port).data(), num * sizeof(T));
    return values;
  }
  u64 cycles = 0;

 private:
  std::map<std::string, std::vector<Word<u64>>> buffers_;
  std::map<std::string, std::string> same_;
  std::map<std::string, u32> scalars_;
};

// f(execution) in every way to run a kernel, and disturbed.
template <class F>
void in_every_way(const F& f) {
  for (abi::Execution execution : {abi::kFast, abi::kExact, abi::kExactShallow}) f(execution);
  emulator::Options& options = emulator::Engine::current_options();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    options.disorder = {seed, seed % 2 == 0 ? 9u : 0u, seed % 3 == 0 ? 500u : 20u};
    f(seed % 2 == 0 ? abi::kExact : abi::kExactShallow);
  }
  options.disorder = {};
}

// GOP-22: what the device's kernel writes along the edges is what a loop does, f included.
TEST(Graphops, ReplicatesPropertiesAlongTheEdges) {
  Random random(6);
  for (VertexId n : {1u, 50u, 600u}) {
    const Graph graph(n, 30, random);
    std::vector<u32> levels(n);
    std::vector<double> ranks(n);
    for (VertexId v = 0; v < n; ++v) {
      levels[v] = random() % 4 == 0 ? kUnreached : static_cast<u32>(random() % 9);
      ranks[v] = static_cast<double>(random());
    }
    in_every_way([&](abi::Execution execution) {
      const std::size_t m = graph.targets.size();
      const auto call_for = [&](auto properties) {
        Call call;
        call.add("targets", graph.targets, kNoVertex);
        call.add("properties", properties);
        call.add("replicas", std::vector<u64>(m + 16, 7));
        call.add("ends", std::vector<u64>(8));
        call.set("num_lines", static_cast<u32>((m + 15) / 16));
        return call;
      };
      Call narrow = call_for(levels), wide = call_for(ranks);
      narrow.run<engine::GraphopsReplicate<Bfs>>(execution);
      wide.run<engine::GraphopsReplicate<algorithm::pagerank::Hooks<double>>>(execution);
      auto expected = graph.along(levels);
      for (u32& level : expected) level = Bfs::preprocessProperty(level);
      EXPECT_EQ(narrow.values<u32>("replicas", m), expected);
      EXPECT_EQ(wide.values<double>("replicas", m), graph.along(ranks));
      if (execution != abi::kFast) {
        EXPECT_EQ(narrow.values<u64>("ends", 3)[2], (m + 15) / 16);
      }
    });
  }
}

// GOP-30: sums over in-neighbors; GOP-37: every port's beats are counted.
TEST(Graphops, PageRankGathersFromTheReplicas) {
  Random random(1);
  const Graph graph(400, 40, random);
  std::vector<u32> properties(400);
  for (u32& property : properties) property = static_cast<u32>(random() % 100000000);
  const std::vector<u32> replicas = graph.along(properties);
  in_every_way([&](abi::Execution execution) {
    Call call;
    call.add<u64>("offsets", graph.rows.offsets, graph.rows.num_edges());
    call.add("replicas", replicas);
    call.add("gathered", std::vector<u32>(400, 0));
    call.share("updated", "gathered");
    call.add("ends", std::vector<u64>(8));
    call.set("num_vertices", 400);
    call.run<engine::GraphopsPagerank<PageRank>>(execution);
    const auto sums = call.values<u32>("gathered", 400);
    u64 lines = 0;
    for (VertexId v = 0; v < 400; ++v) {
      u64 sum = 0;
      const block::SetMeta set = graph.rows.set(v);
      for (EdgeCount e = set.first; e < set.last; ++e) sum += replicas[e];
      ASSERT_EQ(sums[v], std::min<u64>(sum, kUnreached)) << v;
      lines += set.first == set.last ? 0 : (set.last - 1) / 16 - set.first / 16 + 1;
    }
    const auto ends = call.values<u64>("ends", 6);
    EXPECT_EQ(ends[0], block::kAllEnded);
    if (execution == abi::kFast) return;
    EXPECT_EQ(ends[2], 400u / 8 + 1);
    EXPECT_EQ(ends[3], lines);
    EXPECT_EQ(ends[5], 400u / 16);
    if (emulator::Engine::current_options().disorder.seed != 0 || execution != abi::kExact) return;
    EXPECT_LT(call.cycles, lines + 400);  // a line a cycle
  });
}

std::vector<VertexId> members_of(const std::vector<u64>& groups) {
  std::vector<VertexId> vertices;
  for (u64 group : groups) {
    for (VertexId lane = 0; lane < 16; ++lane) {
      if ((group >> lane & 1) != 0) vertices.push_back(static_cast<VertexId>(group >> 32) * 16 + lane);
    }
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

// GOP-31: levels of a search from a root, level by level.
TEST(Graphops, BfsFindsTheNextLevel) {
  Random random(2);
  const Graph graph(500, 12, random);
  std::vector<u32> expected(500, kUnreached);
  VertexId start = 0;
  while (graph.rows.offsets[start + 1] < 5) ++start;
  std::vector<VertexId> queue{start};
  expected[start] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const block::SetMeta set = graph.rows.set(queue[i]);
    for (EdgeCount e = set.first; e < set.last; ++e) {
      if (expected[graph.targets[e]] != kUnreached) continue;
      expected[graph.targets[e]] = expected[queue[i]] + 1;
      queue.push_back(graph.targets[e]);
    }
  }
  ASSERT_GT(queue.size(), 250u);
  in_every_way([&](abi::Execution execution) {
    std::vector<u32> levels(500, kUnreached);
    levels[start] = 0;
    std::vector<u64> set;
    VertexId root = start;
    for (u32 level = 0; root != kNoVertex || !set.empty(); ++level) {
      Call call;
      call.add("set", set);
      call.add<u64>("offsets", graph.rows.offsets, graph.rows.num_edges());
      call.add("targets", graph.targets, kNoVertex);
      call.add("replicas", graph.along(levels));
      call.add("updated", levels, kUnreached);
      call.share("properties", "updated");
      call.add("next_set", std::vector<u64>(graph.targets.size()));
      call.add("ends", std::vector<u64>(11));
      call.set("num_groups", static_cast<u32>(set.size()));
      call.set("root", root);
      call.set("level", level);
      call.set("num_vertices", 500);
      call.run<engine::GraphopsBfs<Bfs>>(execution);
      const auto before = levels;
      levels = call.values<u32>("updated", 500);
      const auto ends = call.values<u64>("ends", 4);
      set = call.values<u64>("next_set", ends[2]);
      root = kNoVertex;
      std::vector<VertexId> changed;
      for (VertexId v = 0; v < 500; ++v) {
        if (levels[v] != before[v]) changed.push_back(v);
      }
      ASSERT_EQ(members_of(set), changed);
      ASSERT_EQ(ends[3], changed.size());
    }
    EXPECT_EQ(levels, expected);
  });
}

// GOP-32: a round from all that are reached improves what a loop improves, in whatever order.
TEST(Graphops, SsspImprovesDistances) {
  Random random(3);
  const Graph graph(300, 20, random);
  std::vector<u32> before(300, kUnreached);
  std::vector<u64> set;
  for (VertexId v = 0; v < 300; v += 3) {
    before[v] = static_cast<u32>(random() % 200);
    if (set.empty() || set.back() >> 32 != v / 16) set.push_back(u64(v / 16) << 32);
    set.back() |= u64(1) << v % 16;
  }
  std::vector<u32> expected = before;
  for (VertexId v = 0; v < 300; v += 3) {
    const block::SetMeta edges = graph.rows.set(v);
    for (EdgeCount e = edges.first; e < edges.last; ++e) {
      u32& held = expected[graph.targets[e]];
      held = std::min(held, before[v] + graph.weights[e]);
    }
  }
  in_every_way([&](abi::Execution execution) {
    Call call;
    call.add("set", set);
    call.add<u64>("offsets", graph.rows.offsets, graph.rows.num_edges());
    call.add("targets", graph.targets, kNoVertex);
    call.add("replicas", graph.along(before));
    call.add("weights", graph.weights);
    call.add("owners", before);
    call.add("updated", before);
    call.share("properties", "updated");
    call.add("next_set", std::vector<u64>(graph.targets.size()));
    call.add("ends", std::vector<u64>(16));
    call.set("num_groups", static_cast<u32>(set.size()));
    call.set("root", kNoVertex);
    call.run<engine::GraphopsSssp<Sssp>>(execution);
    const auto after = call.values<u32>("updated", 300);
    EXPECT_EQ(after, expected);
    std::vector<VertexId> changed;
    for (VertexId v = 0; v < 300; ++v) {
      if (after[v] != before[v]) changed.push_back(v);
    }
    EXPECT_EQ(members_of(call.values<u64>("next_set", call.values<u64>("ends", 3)[2])), changed);
  });
}

// GOP-34: edges that leave a set, and the degrees on both sides.
TEST(Graphops, ConductanceCountsWhatLeaves) {
  Random random(4);
  const Graph graph(333, 30, random);
  using Element = block::MemberElement<>;
  std::vector<u32> properties;
  for (VertexId v = 0; v < 333; ++v) {
    const block::SetMeta set = graph.rows.set(v);
    properties.push_back(static_cast<u32>(Element::pack(set.last - set.first, random() % 4 == 0)));
  }
  u64 cut = 0, sums[2] = {};
  for (VertexId v = 0; v < 333; ++v) {
    const block::SetMeta set = graph.rows.set(v);
    sums[properties[v] & 1] += set.last - set.first;
    for (EdgeCount e = set.first; e < set.last; ++e) {
      cut += (properties[v] & 1) != 0 && (properties[graph.targets[e]] & 1) == 0;
    }
  }
  in_every_way([&](abi::Execution execution) {
    Call call;
    call.add("properties", properties);
    call.add<u64>("offsets", graph.rows.offsets, graph.rows.num_edges());
    call.add("replicas", graph.along(properties));
    call.add("ends", std::vector<u64>(16));
    call.set("num_vertices", 333);
    call.run<engine::GraphopsConductance>(execution);
    const auto ends = call.values<u64>("ends", 8);
    EXPECT_EQ(ends[2], cut);
    EXPECT_EQ(ends[6], sums[1]);
    EXPECT_EQ(ends[7], sums[0]);
  });
}

// GOP-35: the edges that are taken one after the other cover all, and share no vertex.
TEST(Graphops, VertexCoverTakesTheEdgeOfTheLargestDegrees) {
  Random random(5);
  const Graph graph(60, 6, random);
  using Element = block::CoverElement<>;
  std::vector<VertexId> owners(graph.targets.size());
  for (VertexId v = 0; v < 60; ++v) {
    for (EdgeCount e = graph.rows.offsets[v]; e < graph.rows.offsets[v + 1]; ++e) owners[e] = v;
  }
  const auto degree = [&](VertexId v) { return graph.rows.offsets[v + 1] - graph.rows.offsets[v]; };
  for (abi::Execution execution : {abi::kFast, abi::kExact, abi::kExactShallow}) {
    std::vector<bool> covered(60, false);
    std::size_t num_taken = 0, size = 0;
    while (true) {
      std::vector<u64> elements;
      u64 best = 0, uncovered = 0;
      EdgeCount first = 0;
      for (EdgeCount e = 0; e < graph.targets.size(); ++e) {
        const VertexId u = owners[e], v = graph.targets[e];
        elements.push_back(Element::pack(covered[u], degree(u), covered[v], degree(v)));
        if (covered[u] || covered[v]) continue;
        if (uncovered++ == 0 || degree(u) + degree(v) > best) {
          best = degree(u) + degree(v);
          first = e;
        }
      }
      Call call;
      call.add<u64>("offsets", graph.rows.offsets, graph.rows.num_edges());
      call.add("elements", elements);
      call.add("ends", std::vector<u64>(8));
      call.set("num_vertices", 60);
      call.run<engine::GraphopsVertexCover>(execution);
      const auto ends = call.values<u64>("ends", 8);
      ASSERT_EQ(ends[3], uncovered);
      if (uncovered == 0) break;
      ASSERT_EQ(ends[2], best);
      ASSERT_EQ(ends[4], first);
      ASSERT_EQ(ends[5], owners[first]);
      size += owners[first] == graph.targets[first] ? 1 : 2;
      covered[owners[first]] = covered[graph.targets[first]] = true;
      ++num_taken;
    }
    EXPECT_GT(num_taken, 10u);
    EXPECT_LE(size, 2 * num_taken);
  }
}

}  // namespace
}  // namespace gaspipe
