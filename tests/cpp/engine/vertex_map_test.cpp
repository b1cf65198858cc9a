// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/vertex_map.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "tests/cpp/engine/parts.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;
using engine::Frontier;
using engine::vertex_map;

constexpr VertexId kVertices = 3 * engine::kVertexGrain + 5;

// Sums ids in its own copy for every chunk.
struct SumChunks {
  std::vector<std::uint64_t>& sums;
  std::uint64_t sum = 0;
  void operator()(VertexId v, int /*worker*/) { sum += v; }
  void finish(std::uint64_t chunk) { sums[chunk] += sum; }
};

TEST(VertexMap, VisitsEveryVertexOnce) {
  for (const int number : {1, 2, 7}) {
    Threads threads(number);
    std::vector<std::atomic<int>> visits(kVertices);
    vertex_map(threads.workers(), kVertices, [&](VertexId v, int worker) { visits[v] += worker < number ? 1 : 100; });
    for (const auto& count : visits) ASSERT_EQ(count, 1);
    vertex_map(threads.workers(), 0, [&](VertexId, int) { FAIL(); });
  }
}

TEST(VertexMap, NumbersChunksInTheOrderOfTheVertices) {
  for (const int number : {1, 2, 7}) {
    Threads threads(number);
    ASSERT_EQ(engine::num_chunks(kVertices), 4u);
    std::vector<std::uint64_t> sums(4), expected(4);
    for (VertexId v = 0; v < kVertices; ++v) expected[v / engine::kVertexGrain] += v;
    vertex_map(threads.workers(), kVertices, SumChunks{sums});
    EXPECT_EQ(sums, expected);
  }
}

TEST(VertexMap, VisitsTheVerticesOfAFrontier) {
  const Csr csr = csr_of(kVertices, {});
  const abi::Csr table = abi_csr(csr);
  const auto vertices = random_vertices(kVertices, 2, 5);
  for (const int number : {1, 2, 7}) {
    Threads threads(number);
    Frontier frontier(table, number);
    frontier.clear();
    for (const VertexId v : vertices) frontier.add(v, 0);
    frontier.collect();
    for (const bool is_bitmap : {false, true}) {
      if (is_bitmap) frontier.to_bitmap(threads.workers());
      std::vector<std::atomic<int>> visits(kVertices);
      vertex_map(threads.workers(), frontier, [&](VertexId v, int) { ++visits[v]; });
      for (VertexId v = 0; v < kVertices; ++v) ASSERT_EQ(visits[v], vertices.count(v) == 1);
      std::vector<std::uint64_t> sums(engine::num_chunks(frontier));
      vertex_map(threads.workers(), frontier, SumChunks{sums});
      EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::uint64_t(0)),
                std::accumulate(vertices.begin(), vertices.end(), std::uint64_t(0)));
    }
  }
}

}  // namespace
}  // namespace gaspipe
