// SPDX-License-Identifier: Apache-2.0
// Whole runs in which sub-partitions are passed over as apply's words of activity allow: the same properties after
// every super-step as in runs that stream all, and in the end the answers of plain algorithms.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <queue>
#include <random>
#include <vector>

#include "gaspipe/active_sources.h"
#include "hls/algorithm/bfs.h"
#include "hls/algorithm/sssp.h"
#include "hls/algorithm/wcc.h"
#include "hls/kernel/apply.h"
#include "tests/hls/kernel/packed_launch.h"

namespace gaspipe {
namespace {

using testing::PackedLaunch;
using testing::SubPartition;
using Bfs = algorithm::bfs::Hooks<std::uint32_t>;
using Sssp = algorithm::sssp::Hooks<std::uint64_t>;
using Wcc = algorithm::wcc::Hooks<std::uint32_t>;

constexpr VertexId kVertices = 1200, kCapacity = 256;  // five partitions, the last of 176 vertices
constexpr std::size_t kUnits = 3, kPartitions = 5;

struct Edge {
  VertexId source, destination;
  std::uint32_t weight;
};
using Graph = std::vector<Edge>;

// Edges between vertices at most `reach` apart: a search sweeps over the ids.
Graph local_graph(VertexId reach, std::size_t num_edges, unsigned seed) {
  std::mt19937 random(seed);
  Graph graph;
  for (std::size_t i = 0; i < num_edges; ++i) {
    const auto source = static_cast<VertexId>(random() % kVertices);
    const auto far = static_cast<VertexId>(random() % (2 * reach + 1));
    if (source + far < reach || source + far - reach >= kVertices) continue;
    graph.push_back({source, source + far - reach, static_cast<std::uint32_t>(random() % 20 + 1)});
  }
  return graph;
}
Graph both_directions(Graph graph) {
  const std::size_t num = graph.size();
  for (std::size_t i = 0; i < num; ++i) graph.push_back({graph[i].destination, graph[i].source, graph[i].weight});
  return graph;
}

template <class Hooks>
struct Outcome {
  std::vector<std::vector<typename Hooks::Property>> after;  // [super-step][vertex]
  std::size_t num_streamed = 0, num_passed_over = 0;         // sub-partitions with edges
};

template <class Hooks, bool packed, bool weighted>
class Machine {
 public:
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Launch = PackedLaunch<Hooks>;

  explicit Machine(Graph graph) {
    std::stable_sort(graph.begin(), graph.end(), [](const Edge& a, const Edge& b) { return a.source < b.source; });
    std::vector<std::vector<SubPartition<Hooks>>> of_unit(kUnits);
    for (VertexId first = 0; first < kVertices; first += kCapacity) {
      const VertexId last = std::min(first + kCapacity, kVertices);
      std::vector<typename SubPartition<Hooks>::Edge> edges;
      for (const Edge& edge : graph) {
        if (edge.destination >= first && edge.destination < last) {
          edges.push_back(
              {edge.source, edge.destination, static_cast<typename Traits<Hooks>::EdgeProperty>(edge.weight)});
        }
      }
      for (std::size_t unit = 0; unit < kUnits; ++unit) {
        const auto at = [&](std::size_t i) { return edges.begin() + std::ptrdiff_t(i * edges.size() / kUnits); };
        of_unit[unit].emplace_back(first, last,
                                   std::vector<typename SubPartition<Hooks>::Edge>(at(unit), at(unit + 1)));
      }
    }
    for (auto& sub_partitions : of_unit) launches_.emplace_back(std::move(sub_partitions));
  }

  Outcome<Hooks> run(const std::function<Property(VertexId)>& initial, bool passes_over) {
    constexpr std::size_t kSize = Word<Property>::kSize;
    std::vector<Word<Property>> properties((kVertices + kSize - 1) / kSize);
    for (VertexId v = 0; v < kVertices; ++v) properties[v / kSize].lane[v % kSize] = initial(v);
    ActiveSources active({0, kCapacity, 2 * kCapacity, 3 * kCapacity, 4 * kCapacity}, kVertices);
    Outcome<Hooks> outcome;
    for (std::uint64_t sum = 1; sum != 0;) {
      for (Launch& launch : launches_) gather(launch, properties, active, passes_over, outcome);
      std::vector<Word<Property>> updated[kUnits] = {properties, properties, properties};
      sum = 0;
      for (std::size_t p = 0; p < kPartitions; ++p) sum += apply_partition(p, properties, updated, active);
      properties = updated[1];
      outcome.after.emplace_back();
      for (VertexId v = 0; v < kVertices; ++v) outcome.after.back().push_back(properties[v / kSize].lane[v % kSize]);
    }
    return outcome;
  }

 private:
  void gather(Launch launch, const std::vector<Word<Property>>& properties, const ActiveSources& active,
              bool passes_over, Outcome<Hooks>& outcome) {
    launch.sub_partitions[0].properties = properties;
    for (std::size_t p = 0; p < kPartitions; ++p) {
      SubPartition<Hooks>& sub_partition = launch.sub_partitions[p];
      if (sub_partition.edges.empty()) continue;
      const bool is_idle =
          passes_over && !active.any(sub_partition.edges.front().source, sub_partition.edges.back().source);
      ++(is_idle ? outcome.num_passed_over : outcome.num_streamed);
      if (!is_idle) continue;
      launch.descriptors[p].lane[SubPartitionLane::kNumEdgeWords] = 0;
      sub_partition.sources.clear();
    }
    if (packed) {
      launch.template run<Config<16, 16, kCapacity>, weighted>();
    } else {
      for (std::size_t p = 0; p < kPartitions; ++p) {
        const SubPartition<Hooks>& one = launch.sub_partitions[p];
        gather_scatter<Hooks, Config<8, 8, kCapacity>, weighted>(
            one.sources.data(), one.destinations.data(), one.weights.data(), properties.data(),
            launch.gathered.data() + first_word(launch, p), one.num_words(), one.first, one.last);
      }
    }
    gathered_[static_cast<std::size_t>(next_unit_++ % kUnits)] = launch.gathered;
  }
  std::uint64_t apply_partition(std::size_t p, const std::vector<Word<Property>>& properties,
                                std::vector<Word<Property>> (&updated)[kUnits], ActiveSources& active) {
    const Word<Value>* gathered[kUnits];
    Word<Property>* updated_at[kUnits];
    for (std::size_t unit = 0; unit < kUnits; ++unit) {
      gathered[unit] = gathered_[unit].data() + first_word(launches_[unit], p);
      updated_at[unit] = updated[unit].data();
    }
    const Word<typename Traits<Hooks>::Aux>* inputs[1] = {};
    ResultWord results[2];
    const SubPartition<Hooks>& range = launches_[0].sub_partitions[p];
    const std::uint32_t arg[kArgWords] = {};
    apply<Hooks>(int(kUnits), gathered, properties.data(), inputs, updated_at, results, range.first, range.last, arg);
    active.set(p, results[1]);
    return results[0].lane[0];
  }
  static std::size_t first_word(const Launch& launch, std::size_t p) {
    return launch.descriptors[p].lane[SubPartitionLane::kFirstGatheredWord];
  }

  std::vector<Launch> launches_;  // by unit
  std::vector<Word<Value>> gathered_[kUnits];
  std::size_t next_unit_ = 0;
};

template <class Hooks, bool weighted>
void check(const Graph& graph, const std::function<typename Hooks::Property(VertexId)>& initial,
           const std::vector<typename Hooks::Property>& answer, double least_passed_over) {
  const auto check_kernel = [&](auto machine) {
    const Outcome<Hooks> all = machine.run(initial, false), busy = machine.run(initial, true);
    EXPECT_EQ(all.after.back(), answer);
    EXPECT_EQ(busy.after, all.after);
    EXPECT_EQ(all.num_passed_over, 0u);
    EXPECT_EQ(busy.num_passed_over + busy.num_streamed, all.num_streamed);
    EXPECT_GE(double(busy.num_passed_over), least_passed_over * double(all.num_streamed));
  };
  check_kernel(Machine<Hooks, false, weighted>(graph));
  check_kernel(Machine<Hooks, true, weighted>(graph));
}

TEST(PassingOver, KeepsTheLevelsOfBfs) {
  for (const VertexId reach : {VertexId(80), kVertices}) {
    const Graph graph = local_graph(reach, 9000, 1);
    const VertexId root = 600;
    std::vector<std::uint32_t> levels(kVertices, Bfs::kUnreached);
    std::queue<VertexId> waiting;
    levels[root] = 0;
    for (waiting.push(root); !waiting.empty(); waiting.pop()) {
      for (const Edge& edge : graph) {
        if (edge.source != waiting.front() || levels[edge.destination] != Bfs::kUnreached) continue;
        levels[edge.destination] = levels[edge.source] + 1;
        waiting.push(edge.destination);
      }
    }
    check<Bfs, false>(
        graph, [&](VertexId v) { return v == root ? 0 : Bfs::kUnreached; }, levels, reach == 80 ? 0.3 : 0.05);
  }
}

TEST(PassingOver, KeepsTheDistancesOfSssp) {
  const Graph graph = local_graph(80, 9000, 2);
  const VertexId root = 0;
  std::vector<std::uint64_t> distances(kVertices, Sssp::kIdentity);
  std::priority_queue<std::pair<std::uint64_t, VertexId>, std::vector<std::pair<std::uint64_t, VertexId>>,
                      std::greater<std::pair<std::uint64_t, VertexId>>>
      waiting;
  distances[root] = 0;
  waiting.push({0, root});
  while (!waiting.empty()) {
    const auto [distance, v] = waiting.top();
    waiting.pop();
    if (distance != distances[v]) continue;
    for (const Edge& edge : graph) {
      if (edge.source != v || distances[edge.destination] <= distance + edge.weight) continue;
      distances[edge.destination] = distance + edge.weight;
      waiting.push({distances[edge.destination], edge.destination});
    }
  }
  check<Sssp, true>(graph, [&](VertexId v) { return v == root ? 0 : Sssp::kIdentity; }, distances, 0.5);
}

TEST(PassingOver, KeepsTheComponentsOfWcc) {
  const Graph graph = both_directions(local_graph(80, 3000, 3));
  std::vector<std::uint32_t> component(kVertices);
  std::iota(component.begin(), component.end(), 0u);
  const auto find = [&](VertexId v) {
    while (component[v] != v) v = component[v];
    return v;
  };
  for (const Edge& edge : graph) {
    const VertexId a = find(edge.source), b = find(edge.destination);
    component[std::max(a, b)] = std::min(a, b);
  }
  for (VertexId v = 0; v < kVertices; ++v) component[v] = find(v);
  check<Wcc, false>(graph, [](VertexId v) { return v; }, component, 0.1);
}

TEST(ActiveSources, FindTheBlocksOfARangeInEveryPartition) {
  ActiveSources active({0, 16384, 32768, 49152, 65536, 81920, 98304},
                       100000);  // blocks of 32; in the last partition, of 1696, 16
  EXPECT_TRUE(active.any(0, 0));
  for (std::size_t p = 0; p < 7; ++p) active.set(p, ActivityWord{});
  EXPECT_FALSE(active.any(0, 99999));
  ActivityWord word{};
  word.lane[2] = 1;  // block 128: vertices 4096 to 4127 of partition 1
  active.set(1, word);
  EXPECT_FALSE(active.any(0, 20479));
  EXPECT_TRUE(active.any(20479, 20480));
  EXPECT_TRUE(active.any(20511, 20511));
  EXPECT_FALSE(active.any(20512, 99999));
  active.set(6, word);  // vertices 98304 + 2048 on, of which there are none: no block of the partition
  EXPECT_FALSE(active.any(20512, 99999));
  word.lane[1] = std::uint64_t(1) << 41;  // block 105: vertices 1680 to 1695, the last
  active.set(6, word);
  EXPECT_TRUE(active.any(20512, 99999));
  EXPECT_FALSE(active.any(20512, 99983));
  active.restart({});
  EXPECT_TRUE(active.any(50000, 50000));
}

}  // namespace
}  // namespace gaspipe
