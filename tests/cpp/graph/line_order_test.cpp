// SPDX-License-Identifier: Apache-2.0
// Vertices of a line change places so that PEs have about as many edges, and edges go with them.
#include "gaspipe/line_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "gaspipe/device_edges.h"
#include "hls/module/sub_partition.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace testing;

constexpr VertexId kLine = LineOrder::kVertices;

// A tenth of all edges lead to vertex 37, the others anywhere.
Edges with_a_hub(VertexId num_vertices, std::size_t num_edges) {
  Edges edges = random_edges(num_vertices, num_edges, 7);
  for (std::size_t i = 0; i < edges.size(); i += 10) edges[i].second = 37;
  return edges;
}

std::vector<std::uint64_t> edges_of_pes(const Edges& edges, VertexId first, VertexId last, const LineOrder& lines) {
  std::vector<std::uint64_t> num(kLine);
  for (const auto& [from, to] : edges) {
    if (to >= first && to < last) ++num[lines.place(to) % kLine];
  }
  return num;
}

std::shared_ptr<const Partitioning> partition(const Graph& graph, std::uint32_t capacity, Workers& workers) {
  return graph.partition(View::kForward, {capacity, 2, "equal"}, abi::kNone, workers);
}

TEST(LineOrder, KeepsLinesAndBalancesEveryPartition) {
  const Edges edges = with_a_hub(10007, 200000);
  const Graph graph = graph_of(10007, edges);
  Workers workers(2);
  for (const std::uint32_t capacity : {10016u, 4096u, 128u}) {
    const auto parts = partition(graph, capacity, workers);
    const LineOrder lines(*parts, workers);
    EXPECT_TRUE(lines.is_balanced());
    std::set<VertexId> places;
    for (VertexId v = 0; v < 10007; ++v) {
      EXPECT_EQ(lines.place(v) / kLine, v / kLine);
      places.insert(lines.place(v));
    }
    EXPECT_EQ(places.size(), 10007u);
    EXPECT_EQ(*places.rbegin(), 10006u) << "the last line has no gaps";
    for (std::size_t p = 0; p < parts->size(); ++p) {
      const Partition part = parts->get_partition(static_cast<std::int64_t>(p));
      const auto of = [&](const LineOrder& order) {
        const auto num = edges_of_pes(edges, part.first_vertex(), part.last_vertex(), order);
        return *std::max_element(num.begin(), num.end());
      };
      EXPECT_LE(of(lines), of(LineOrder())) << "partition " << p;
    }
    if (capacity < 10007) continue;
    // The hub has more than a PE's share; the other PEs have about as much as each other.
    const auto num = edges_of_pes(edges, 0, 10007, lines);
    const std::uint64_t most = *std::max_element(num.begin(), num.end());
    for (const std::uint64_t of_pe : num) EXPECT_TRUE(of_pe == most || of_pe < 180000 / 15 + 200) << of_pe;
  }
}

TEST(LineOrder, MovesValuesThereAndBack) {
  const Graph graph = graph_of(1003, with_a_hub(1003, 20000));
  Workers workers(2);
  const LineOrder balanced(*partition(graph, 256, workers), workers);
  for (const LineOrder& lines : {LineOrder(), balanced}) {
    std::vector<std::uint64_t> values(1008), ordered(1008), restored(1008);
    for (std::size_t v = 0; v < values.size(); ++v) values[v] = 1000000 * v;
    lines.order(values.data(), ordered.data(), 8, 1008 * 8, workers);
    for (VertexId v = 0; v < 1003; ++v) ASSERT_EQ(ordered[lines.place(v)], values[v]);
    for (std::size_t v = 1003; v < 1008; ++v) ASSERT_EQ(ordered[v], values[v]);
    lines.restore(ordered.data(), restored.data(), 8, 1008 * 8, workers);
    EXPECT_EQ(restored, values);
  }
}

// Every edge with its weight, by places, and sources ascending: in a sub-partition and all that it is laid out as.
TEST(LineOrder, EdgesGoWithTheirVertices) {
  const Edges edges = with_a_hub(2000, 30000);
  Csr csr = csr_of(2000, edges);
  std::vector<std::int32_t> weights(30000);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<std::int32_t>(i);
  csr.weights = array(weights);
  const Graph graph(csr);
  Workers workers(2);
  using Triple = std::tuple<VertexId, VertexId, std::int32_t>;
  for (const char* partitioner : {"equal", "interleaved"}) {
    const PartitionConfig config = {768, 3, partitioner};
    const auto plain = graph.device_edges(View::kForward, config, abi::kInt32, EdgeLayout::kPlain, workers);
    const auto placed = graph.device_edges(View::kForward, config, abi::kInt32, EdgeLayout::kPlain, workers, true);
    const auto packed = graph.device_edges(View::kForward, config, abi::kInt32, EdgeLayout::kPacked, workers, true);
    EXPECT_NE(plain, placed);
    EXPECT_EQ(placed, graph.device_edges(View::kForward, config, abi::kInt32, EdgeLayout::kPlain, workers, true));
    for (std::size_t p = 0; p < plain->partitioning().size(); ++p) {
      const VertexId first = plain->partitioning().get_partition(static_cast<std::int64_t>(p)).first_vertex();
      for (std::size_t unit = 0; unit < 3; ++unit) {
        const auto triples = [&](const DeviceEdges& of) {
          const DeviceEdges::SubPartition& stored = of.sub_partition(p, unit);
          const auto* weight = reinterpret_cast<const std::int32_t*>(stored.weights.data());
          std::vector<Triple> all;
          VertexId source = 0;
          for (std::uint32_t i = 0; i < stored.num_words * 16; ++i) {
            VertexId to = 0;
            if (of.layout() == EdgeLayout::kPacked) {
              const std::uint32_t edge = stored.edges[i / 16].lane[i % 16];
              if (i == 0) source = stored.sub_partitions[0].lane[SubPartitionLane::kBaseSource];
              source += PackedEdgeCodec::gap(edge);
              if (PackedEdgeCodec::destination(edge) == PackedEdgeCodec::kPadding) continue;
              to = first + PackedEdgeCodec::destination(edge);
            } else {
              EXPECT_GE(stored.sources[i / 16].lane[i % 16], source) << "sources ascend, padding's too";
              source = stored.sources[i / 16].lane[i % 16];
              to = stored.destinations[i / 16].lane[i % 16];
              if (to == PlainEdgeCodec::kPadding) continue;
            }
            all.emplace_back(source, to, weight[i]);
          }
          return all;
        };
        std::vector<Triple> expected = triples(*plain);
        ASSERT_GT(expected.size(), 100u);
        for (auto& [from, to, weight] : expected) {
          from = placed->lines().place(from);
          to = placed->lines().place(to);
        }
        std::stable_sort(expected.begin(), expected.end(),
                         [](const Triple& a, const Triple& b) { return std::get<0>(a) < std::get<0>(b); });
        EXPECT_EQ(triples(*placed), expected);
        EXPECT_EQ(triples(*packed), expected);
      }
    }
  }
}

}  // namespace
}  // namespace gaspipe
