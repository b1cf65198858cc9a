// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/frontier.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cpp/engine/parts.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;
using engine::Frontier;

constexpr VertexId kVertices = 20000;

EdgeCount edges_of(const Csr& csr, const std::set<VertexId>& vertices) {
  EdgeCount edges = 0;
  for (const VertexId v : vertices) edges += csr.degree(v);
  return edges;
}
void add_all(Frontier& frontier, const std::set<VertexId>& vertices, engine::Workers& workers) {
  const std::vector<VertexId> some(vertices.begin(), vertices.end());
  frontier.clear();
  workers.each(some.size(), 100, [&](std::uint64_t first, std::uint64_t last, int worker) {
    for (std::uint64_t i = first; i < last; ++i) frontier.add(some[i], worker);
  });
  frontier.collect();
}
std::set<VertexId> queued(const Frontier& frontier) {
  const std::set<VertexId> found(frontier.begin(), frontier.end());
  EXPECT_EQ(found.size(), frontier.size()) << "a vertex is in it once";
  return found;
}

TEST(Frontier, HoldsWhatWorkersAddToIt) {
  const Csr csr = csr_of(kVertices, random_edges(kVertices, 60000, 1));
  for (const Csr& rows : {csr, widened(csr)}) {
    const abi::Csr table = abi_csr(rows);
    for (const int number : {1, 2, 7}) {
      Threads threads(number);
      Frontier frontier(table, number);
      for (const unsigned one_in : {1u, 3u, 500u, 1000000u}) {
        const auto vertices = random_vertices(kVertices, one_in, one_in);
        add_all(frontier, vertices, threads.workers());
        EXPECT_TRUE(frontier.is_listed());
        EXPECT_FALSE(frontier.is_bitmap());
        EXPECT_EQ(frontier.size(), vertices.size());
        EXPECT_EQ(frontier.edges(), edges_of(csr, vertices));
        EXPECT_EQ(queued(frontier), vertices);
      }
    }
  }
}

TEST(Frontier, BecomesABitmapAndAQueueAgain) {
  const Csr csr = csr_of(kVertices, random_edges(kVertices, 60000, 2));
  const abi::Csr table = abi_csr(csr);
  for (const int number : {1, 2, 7}) {
    Threads threads(number);
    Frontier frontier(table, number);
    for (const unsigned one_in : {1u, 2u, 64u, 1000000u}) {
      const auto vertices = random_vertices(kVertices, one_in, one_in + 7);
      add_all(frontier, vertices, threads.workers());
      frontier.to_bitmap(threads.workers());
      frontier.to_bitmap(threads.workers());  // it is one
      EXPECT_TRUE(frontier.is_bitmap());
      EXPECT_EQ(frontier.size(), vertices.size());
      EXPECT_EQ(frontier.bits().count(), vertices.size());
      for (VertexId v = 0; v < kVertices; ++v) ASSERT_EQ(frontier.bits().get(v), vertices.count(v) == 1);
      frontier.to_queue(threads.workers());
      frontier.to_queue(threads.workers());
      EXPECT_FALSE(frontier.is_bitmap());
      EXPECT_EQ(frontier.edges(), edges_of(csr, vertices));
      EXPECT_EQ(queued(frontier), vertices);
    }
  }
}

TEST(Frontier, IsNotListedWhereItHasTooManyVerticesAndEdges) {
  const Csr csr = csr_of(kVertices, random_edges(kVertices, 60000, 3));
  const abi::Csr table = abi_csr(csr);
  const auto vertices = random_vertices(kVertices, 2, 1);
  const EdgeCount most = vertices.size() + edges_of(csr, vertices);
  for (const int number : {1, 2, 7}) {
    Threads threads(number);
    for (const EdgeCount limit : {EdgeCount(0), EdgeCount(10), most - 1, most}) {
      Frontier frontier(table, number, limit);
      add_all(frontier, vertices, threads.workers());
      EXPECT_EQ(frontier.size(), vertices.size());
      EXPECT_EQ(frontier.is_listed(), limit == most);
      if (frontier.is_listed()) {
        EXPECT_EQ(queued(frontier), vertices);
      }
    }
  }
}

TEST(Frontier, TakesVerticesAtItsTailAndThroughABranchlessBuffer) {
  const Csr csr = csr_of(kVertices, random_edges(kVertices, 60000, 4));
  const abi::Csr table = abi_csr(csr);
  const auto vertices = random_vertices(kVertices, 4, 2);
  Frontier frontier(table, 1), branchless(table, 1);
  frontier.clear();
  branchless.clear();
  for (const VertexId half : {0u, kVertices / 2}) {  // two tails, one after the other
    Frontier::Tail tail(frontier);
    for (VertexId v = half; v < half + kVertices / 2; ++v) {
      if (vertices.count(v) == 1) tail.add(v);
      branchless.add_if(vertices.count(v) == 1, v, branchless.part(0));
    }
  }
  frontier.collect();
  branchless.collect();
  for (const Frontier* each : {&frontier, &branchless}) {
    EXPECT_EQ(each->edges(), edges_of(csr, vertices));
    EXPECT_TRUE(std::equal(each->begin(), each->end(), vertices.begin(), vertices.end())) << "in order";
  }
}

TEST(Frontier, OfAllVerticesNeedsNoList) {
  const Csr csr = csr_of(100, {});
  const abi::Csr table = abi_csr(csr);
  Frontier frontier(table, 1);
  frontier.fill();
  EXPECT_EQ(frontier.size(), 100u);
  EXPECT_FALSE(frontier.is_listed());
  frontier.clear();
  EXPECT_EQ(frontier.size(), 0u);
  EXPECT_TRUE(frontier.is_listed());
}

TEST(Frontier, BelongsToAGraphOnceItIsBound) {
  const Csr csr = csr_of(kVertices, random_edges(kVertices, 60000, 5));
  const abi::Csr table = abi_csr(csr);
  const auto vertices = random_vertices(kVertices, 4, 3);
  for (const int number : {1, 2, 7}) {
    Threads threads(number);
    Frontier frontier(kVertices);
    EXPECT_EQ(frontier.size(), 0u);
    {
      Frontier::Tail tail(frontier);
      for (const VertexId v : vertices) tail.add(v);
    }
    EXPECT_EQ(frontier.edges(), 0u) << "of no graph";
    frontier.bind(&table, number);
    EXPECT_EQ(frontier.edges(), edges_of(csr, vertices));
    add_all(frontier, random_vertices(kVertices, 9, 1), threads.workers());
    EXPECT_EQ(frontier.edges(), edges_of(csr, random_vertices(kVertices, 9, 1)));
    frontier.bind(nullptr, 0);
    EXPECT_EQ(frontier.edges(), 0u);
    EXPECT_EQ(queued(frontier), random_vertices(kVertices, 9, 1));
  }
}

TEST(Frontier, CopiesEitherForm) {
  const Csr csr = csr_of(kVertices, random_edges(kVertices, 60000, 6));
  const abi::Csr table = abi_csr(csr);
  for (const int number : {1, 2, 7}) {
    Threads threads(number);
    Frontier from(table, number), to(table, number);
    const auto vertices = random_vertices(kVertices, 2, 4);
    add_all(to, random_vertices(kVertices, 3, 5), threads.workers());
    add_all(from, vertices, threads.workers());
    to.copy(from, threads.workers());
    EXPECT_EQ(queued(to), vertices);
    EXPECT_EQ(to.edges(), from.edges());
    from.to_bitmap(threads.workers());
    to.copy(from, threads.workers());
    EXPECT_TRUE(to.is_bitmap());
    EXPECT_EQ(to.size(), vertices.size());
    to.to_queue(threads.workers());
    EXPECT_EQ(queued(to), vertices);
  }
}

}  // namespace
}  // namespace gaspipe
