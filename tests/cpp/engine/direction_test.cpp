// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/direction.h"

#include <gtest/gtest.h>

#include "tests/cpp/engine/parts.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;
using engine::Direction;
using engine::Frontier;

// A cycle of 1800 vertices: as many edges as vertices.
constexpr VertexId kVertices = 1800;
struct Cycle {
  Csr csr;
  abi::Csr table;
  Cycle() {
    Edges edges;
    for (VertexId v = 0; v < kVertices; ++v) edges.emplace_back(v, (v + 1) % kVertices);
    csr = csr_of(kVertices, edges);
    table = abi_csr(csr);
  }
  Frontier frontier(VertexId size) const {
    Frontier some(table, 1);
    some.clear();
    for (VertexId v = 0; v < size; ++v) some.add(v, 0);
    some.collect();
    return some;
  }
};
constexpr auto kYes = [] { return true; };
constexpr auto kNo = [] { return false; };

TEST(Direction, TurnsToPullsWhereTheFrontierIsLargeAndTheyPay) {
  const Cycle cycle;
  Direction direction(cycle.table);
  EXPECT_FALSE(direction.choose(cycle.frontier(120), 0, kYes)) << "1800 / 15, and not more";
  EXPECT_FALSE(direction.choose(cycle.frontier(121), 0, kNo));
  EXPECT_FALSE(direction.choose(cycle.frontier(121), 121, kYes)) << "one thread pushes that";
  EXPECT_FALSE(direction.pulls());
  EXPECT_TRUE(direction.choose(cycle.frontier(121), 0, kYes));
  EXPECT_TRUE(direction.pulls());
}

TEST(Direction, ComparesWithWhatNoPushHasWalked) {
  const Cycle cycle;
  Direction direction(cycle.table);
  direction.count_pushed(900);
  EXPECT_FALSE(direction.choose(cycle.frontier(60), 0, kYes));
  EXPECT_TRUE(direction.choose(cycle.frontier(61), 0, kYes));
  Direction all(cycle.table);
  all.count_pushed(5000);  // vertices may be pushed again
  EXPECT_TRUE(all.choose(cycle.frontier(1), 0, kYes));
}

TEST(Direction, TurnsBackWhereTheFrontierShrinksAndIsSmall) {
  const Cycle cycle;
  Direction direction(cycle.table);
  ASSERT_TRUE(direction.choose(cycle.frontier(150), 0, kYes));
  EXPECT_FALSE(direction.choose(cycle.frontier(101), 0, kNo)) << "more than 1800 / 18";
  EXPECT_TRUE(direction.choose(cycle.frontier(50), 0, kNo));
  EXPECT_FALSE(direction.pulls());
  ASSERT_TRUE(direction.choose(cycle.frontier(150), 0, kYes));
  EXPECT_TRUE(direction.choose(cycle.frontier(100), 0, kNo));
  Direction growing(cycle.table);
  growing.count_pushed(1800);
  ASSERT_TRUE(growing.choose(cycle.frontier(20), 0, kYes));
  EXPECT_FALSE(growing.choose(cycle.frontier(40), 0, kNo)) << "small, but it grows";
  EXPECT_TRUE(growing.pulls());
}

}  // namespace
}  // namespace gaspipe
