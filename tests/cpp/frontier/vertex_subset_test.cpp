// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/frontier/vertex_subset.h"

#include <gtest/gtest.h>

#include <sstream>

namespace gaspipe {
namespace {

using Ids = std::vector<VertexId>;

std::string printed(const VertexSubset& set) {
  std::ostringstream out;
  set.print(out);
  return out.str();
}

// OLV-10, OLV-11.
TEST(VertexSubset, IsMadeEmptyFullOrOfSomeVertices) {
  EXPECT_EQ(VertexSubset().capacity(), 0u);
  EXPECT_TRUE(VertexSubset().empty());
  for (const VertexId n : {1u, 63u, 64u, 65u, 1000u}) {
    Ids all(n);
    for (VertexId v = 0; v < n; ++v) all[v] = v;
    const VertexSubset queue(n), none(n, false), full(n, true), last(n, n - 1), listed(n, Ids{n - 1, 0, n - 1});
    EXPECT_FALSE(queue.is_bitmap() || last.is_bitmap() || listed.is_bitmap());
    EXPECT_TRUE(none.is_bitmap() && full.is_bitmap());
    EXPECT_EQ(queue.vertices(), Ids());
    EXPECT_EQ(none.vertices(), Ids());
    EXPECT_EQ(full.vertices(), all);
    EXPECT_EQ(full.size(), n) << "no bits past the last vertex";
    EXPECT_EQ(last.vertices(), Ids{n - 1});
    EXPECT_EQ(listed.vertices(), n == 1 ? Ids{0} : (Ids{0, n - 1})) << "a vertex is in it once";
    EXPECT_EQ(listed.capacity(), n);
  }
  EXPECT_EQ(VertexSubset(2, 1).vertices(), Ids{1}) << "a number is a vertex";
}

TEST(VertexSubset, IsTheSameSetInEitherForm) {
  const Ids some{3, 64, 65, 127, 199};
  VertexSubset set(200, some);
  for (int round = 0; round < 3; ++round) {
    for (VertexId v = 0; v < 210; ++v) {
      EXPECT_EQ(set.contains(v), std::count(some.begin(), some.end(), v) == 1);
    }
    EXPECT_EQ(set.vertices(), some);
    EXPECT_EQ(set.size(), 5u);
    set.to_bitmap();
    set.to_bitmap();
    EXPECT_TRUE(set.is_bitmap());
    EXPECT_EQ(set.vertices(), some);
    EXPECT_TRUE(set.contains(127) && !set.contains(126) && !set.contains(200));
    EXPECT_EQ(printed(set), "bitmap of 5 vertices below 200: 3 64 65 127 199\n");
    set.to_queue();
    set.to_queue();
    EXPECT_FALSE(set.is_bitmap());
    EXPECT_EQ(printed(set), "queue of 5 vertices below 200: 3 64 65 127 199\n");
  }
  set.to_bitmap();
  for (const bool is_bitmap : {true, false}) {
    set.clear();
    EXPECT_TRUE(set.empty());
    EXPECT_EQ(set.is_bitmap(), is_bitmap) << "the form stays";
    EXPECT_EQ(set.vertices(), Ids());
    EXPECT_EQ(set.capacity(), 200u);
    set.to_queue();
  }
  EXPECT_EQ(printed(VertexSubset(9, 4)), "queue of 1 vertex below 9: 4\n");
}

TEST(VertexSubset, RefusesVerticesPastItsCapacity) {
  const auto text_of = [](const auto& make) -> std::string {
    try {
      make();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(text_of([] { VertexSubset(9, 9); }), "vertex 9 is not in a set of 9 vertices; use 0 to 8");
  EXPECT_EQ(text_of([] { VertexSubset(9, -1); }), "vertex -1 is not in a set of 9 vertices; use 0 to 8");
  EXPECT_EQ(text_of([] { VertexSubset(9, Ids{1, 12}); }), "vertex 12 is not in a set of 9 vertices; use 0 to 8");
  EXPECT_EQ(text_of([] { VertexSubset(0, 0); }),
            "vertex 0 is not in a set of 0 vertices; give the set the graph's number of vertices");
}

TEST(VertexSubset, MovesAndSwaps) {
  VertexSubset a(10, 3), b(10, true);
  std::swap(a, b);
  EXPECT_EQ(a.size(), 10u);
  EXPECT_EQ(b.vertices(), Ids{3});
  a = std::move(b);
  EXPECT_EQ(a.vertices(), Ids{3});
}

}  // namespace
}  // namespace gaspipe
