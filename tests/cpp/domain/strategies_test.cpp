// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gaspipe/domain.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

TEST(DomainStrategy, HashIsThatOfOlive) {  // OLV-27
  Workers workers(1);
  const Csr rows = csr_of(100000, {});
  const Ownership ownership = find_domain_strategy("hash").assign(rows, 7, workers);
  for (std::uint64_t v = 0; v < 100000; ++v) {
    std::uint64_t hash = v;
    hash = (hash ^ hash * 8192) % 4294967296;
    hash = hash ^ hash / 131072;
    hash = (hash ^ hash * 32) % 4294967296;
    ASSERT_EQ(std::uint64_t(ownership.owner(static_cast<VertexId>(v))), hash % 7);
  }
  const Ownership two = find_domain_strategy("hash").assign(rows, 2, workers);
  for (VertexId v = 0; v < 12; ++v) EXPECT_EQ(two.owner(v), int(v % 2));  // as in its own parts
}

TEST(DomainStrategy, MixGivesPartsOfEqualSize) {  // OLV-27
  Workers workers(2);
  const VertexId n = 1000000;
  const Csr rows = csr_of(n, {});
  for (const int size : {2, 3, 8, 64}) {
    const Ownership ownership = find_domain_strategy("mix").assign(rows, size, workers);
    std::vector<double> sizes(size);
    for (VertexId v = 0; v < n; ++v) ++sizes[ownership.owner(v)];
    for (const double part : sizes) EXPECT_NEAR(part * size / n, 1, 0.05);
  }
}

TEST(DomainStrategy, BalancedCutsRangesOfEqualCost) {
  Workers workers(2);
  // With a hub: no range is smaller than its vertex. Sizes on both sides of one bucket per vertex.
  for (const VertexId n : {1u, 7u, 3000u, 100000u}) {
    Edges edges = random_edges(n, 4 * std::size_t(n), n);
    for (VertexId i = 0; i < n / 2; ++i) edges.emplace_back(i, n / 3);
    for (VertexId i = 0; i < n; ++i) edges.emplace_back(i, i / 16);  // more edges into small ids
    const Csr rows = csr_of(n, edges);
    std::vector<std::uint64_t> cost(n, 1);
    for (const auto& [source, target] : edges) ++cost[target];
    std::vector<std::uint64_t> before(n + std::size_t(1));
    for (VertexId v = 0; v < n; ++v) before[v + 1] = before[v] + cost[v];
    for (const int size : {2, 3, 8, 50}) {
      const Ownership ownership = find_domain_strategy("balanced").assign(rows, size, workers);
      ASSERT_TRUE(ownership.is_contiguous());
      ASSERT_EQ(ownership.first.size(), std::size_t(size) + 1);
      ASSERT_EQ(ownership.first.front(), 0u);
      ASSERT_EQ(ownership.first.back(), n);
      for (int rank = 1; rank < size; ++rank) {
        ASSERT_LE(ownership.first[rank - 1], ownership.first[rank]);
        const double goal = double(before[n]) * rank / size;
        double nearest = INFINITY;
        for (const std::uint64_t here : before) nearest = std::min(nearest, std::fabs(double(here) - goal));
        EXPECT_LE(std::fabs(double(before[ownership.first[rank]]) - goal), nearest + 1)
            << n << ", " << rank << "/" << size;
      }
    }
  }
}

}  // namespace
}  // namespace gaspipe
