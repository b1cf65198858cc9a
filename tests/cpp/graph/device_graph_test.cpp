// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/device_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "gaspipe/error.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

template <class T>
std::vector<T> lanes(const Array<Word<T>>& words) {
  const T* first = reinterpret_cast<const T*>(words.data());
  return {first, first + words.size() * Word<T>::kSize};
}

TEST(DeviceGraph, HoldsTheRowsOfAView) {
  const unsigned seed = 9;
  SCOPED_TRACE(message("seed ", seed));
  const Edges edges = random_edges(301, 2000, seed);
  DeviceGraph graph(graph_of(301, edges));
  Workers workers(2);
  for (const View view : {View::kForward, View::kReverse}) {
    std::vector<std::vector<VertexId>> expected(301);
    for (const auto& [source, target] : edges) {
      (view == View::kForward ? expected[source] : expected[target])
          .push_back(view == View::kForward ? target : source);
    }
    const auto rows = graph.rows(view, workers);
    const auto offsets = lanes(rows->offsets);
    const auto targets = lanes(rows->targets);
    EXPECT_EQ(rows->num_vertices, 301u);
    EXPECT_EQ(rows->num_edges, 2000u);
    for (VertexId v = 0; v < 301; ++v) {
      std::vector<VertexId> row(targets.begin() + std::ptrdiff_t(offsets[v]),
                                targets.begin() + std::ptrdiff_t(offsets[v + 1]));
      std::sort(row.begin(), row.end());
      std::sort(expected[v].begin(), expected[v].end());
      ASSERT_EQ(row, expected[v]) << v;
    }
    for (std::size_t i = 302; i < offsets.size(); ++i) EXPECT_EQ(offsets[i], 2000u);
    for (std::size_t i = 2000; i < targets.size(); ++i) EXPECT_EQ(targets[i], kNoVertex);
    EXPECT_EQ(graph.rows(view, workers), rows);  // kept
  }
}

template <class T>
void check_replica() {
  DeviceGraph graph(graph_of(300, random_edges(300, 1999, 10)));
  Workers workers(2);
  const auto rows = graph.rows(View::kForward, workers);
  const auto replica = graph.replica(View::kForward, sizeof(T), workers);
  const auto targets = lanes(rows->targets);
  for (const T factor : {3, 1000}) {
    std::vector<T> properties(300);
    for (std::size_t v = 0; v < 300; ++v) properties[v] = static_cast<T>(v) * factor;
    replica->refresh(properties.data(), workers);
    const T* values = reinterpret_cast<const T*>(replica->data());
    for (std::size_t e = 0; e < 1999; ++e) ASSERT_EQ(values[e], properties[targets[e]]) << e;
    for (std::size_t e = 1999; e < replica->num_words() * (64 / sizeof(T)); ++e) EXPECT_EQ(values[e], T(0));
  }
  EXPECT_EQ(graph.replica(View::kForward, sizeof(T), workers), replica);
}

TEST(DeviceGraph, RefreshesReplicasAlongTheEdges) {
  check_replica<std::uint32_t>();
  check_replica<std::uint64_t>();
}

TEST(DeviceGraph, RefusesReplicasOfOtherSizes) {
  DeviceGraph graph(graph_of(3, {{0, 1}}));
  Workers workers(1);
  EXPECT_THROW(graph.replica(View::kForward, 2, workers), InputError);
}

TEST(DeviceGraph, HoldsSetsOfVertices) {
  DeviceGraph graph(graph_of(300, {{0, 1}}));
  const std::vector<VertexId> vertices = {7, 299, 0, 7, 12, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 13, 14};
  const auto set = graph.set(3, array(vertices));
  std::vector<VertexId> expected = vertices;
  expected.resize(32, kNoVertex);
  EXPECT_EQ(set->num_vertices, 17u);
  EXPECT_EQ(lanes(set->vertices), expected);
  EXPECT_EQ(graph.set(3, array(vertices)), set);  // kept
  std::vector<VertexId> others = vertices;
  others.back() = 15;
  EXPECT_EQ(lanes(graph.set(3, array(others))->vertices)[16], 15u);
  others.pop_back();
  EXPECT_EQ(graph.set(3, array(others))->num_vertices, 16u);
  EXPECT_EQ(graph.set(4, array(std::vector<VertexId>()))->vertices.size(), 0u);
}

TEST(DeviceGraph, HandsOutEdgesInDestinationRanges) {
  DeviceGraph graph(graph_of(300, random_edges(300, 500, 11)));
  Workers workers(1);
  const PartitionConfig config = {64, 2, "equal"};
  const auto edges = graph.edges(View::kForward, config, abi::kNone, EdgeLayout::kPacked, workers);
  EXPECT_EQ(edges->layout(), EdgeLayout::kPacked);
  EXPECT_EQ(graph.edges(View::kForward, config, abi::kNone, EdgeLayout::kPacked, workers), edges);
}

}  // namespace
}  // namespace gaspipe
