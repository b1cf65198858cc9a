// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/rows.h"

#include <gtest/gtest.h>

#include "tests/cpp/engine/parts.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;
using engine::Rows;
using engine::with_rows;

template <class AnyRows>
void expect_same(const AnyRows& rows, const Csr& csr, const std::vector<std::int32_t>& weights) {
  ASSERT_EQ(rows.num_vertices(), csr.num_rows);
  ASSERT_EQ(rows.num_edges(), csr.num_edges());
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    ASSERT_EQ(rows.degree(v), csr.degree(v));
    ASSERT_EQ(rows.begin(v), csr.offsets[v]);
    ASSERT_EQ(rows.end(v), csr.offsets[std::size_t(v) + 1]);
    rows.prefetch_row(v);
    rows.prefetch_degree(v);
    EdgeCount e = rows.begin(v);
    for (const auto edge : rows[v]) {
      ASSERT_EQ(edge.index(), e);
      ASSERT_EQ(edge.neighbor(), csr.targets[e]);
      ASSERT_EQ(edge.weight(), weights[e]);
      ++e;
    }
    ASSERT_EQ(e, rows.end(v));
  }
}

TEST(Rows, AreThoseOfTheCsrWhateverTheWidthOfItsOffsets) {
  const Csr narrow = weighted(csr_of(300, random_edges(300, 2000, 1)), 2);
  const auto weights = list(std::get<Array<std::int32_t>>(narrow.weights));
  for (const Csr& csr : {narrow, widened(narrow)}) {
    const abi::Csr table = abi_csr(csr);
    expect_same(Rows<std::int32_t>(table), csr, weights);
    with_rows<std::int32_t>(table, [&](const auto& rows) { expect_same(rows, csr, weights); });
  }
}

TEST(Rows, WithoutWeightsCountEveryEdgeOnce) {
  const Csr csr = csr_of(100, random_edges(100, 500, 3));
  expect_same(Rows<std::int32_t>(abi_csr(csr)), csr, std::vector<std::int32_t>(500, 1));
}

TEST(Rows, HaveTheWidthOfOffsetsInTheirType) {
  const Csr narrow = csr_of(2, {{0, 1}}), wide = widened(narrow);
  const auto is_wide = [](const auto& rows) {
    return std::is_same_v<std::decay_t<decltype(rows)>,
                          engine::RowsOf<engine::Unweighted, engine::OffsetsOf<std::uint64_t>>>;
  };
  EXPECT_FALSE(with_rows(abi_csr(narrow), is_wide));
  EXPECT_TRUE(with_rows(abi_csr(wide), is_wide));
}

TEST(Rows, GiveTheFirstEdgesOfARow) {
  const Csr csr = csr_of(4, {{1, 3}, {1, 0}, {1, 2}, {2, 1}});
  const Rows<> rows(abi_csr(csr));
  const auto neighbors = [](const auto& row) {
    std::vector<VertexId> found;
    for (const auto edge : row) found.push_back(edge.neighbor());
    return found;
  };
  EXPECT_EQ(neighbors(rows[1].first(2)), (std::vector<VertexId>{csr.targets[0], csr.targets[1]}));
  EXPECT_EQ(rows[1].first(9).size(), 3u);
  EXPECT_EQ(rows[0].first(9).size(), 0u);
  EXPECT_EQ(rows[2].first_edge(), 3u);
  EXPECT_EQ(rows[2].last_edge(), 4u);
}

TEST(Rows, FromAVertexOnAreNumberedFromZero) {
  const Csr csr = csr_of(50, random_edges(50, 300, 6));
  for (const Csr& each : {csr, widened(csr)}) {
    with_rows(abi_csr(each), [&](const auto& rows) {
      const auto rest = rows.from(20);
      EXPECT_EQ(rest.num_vertices(), 30u);
      for (VertexId v = 0; v < 30; ++v) {
        EXPECT_EQ(rest.begin(v), csr.offsets[20 + v]);
        EXPECT_EQ(rest.end(v), csr.offsets[21 + v]);
      }
    });
  }
}

TEST(Rows, AreUnevenWhereLengthsChangeOften) {
  Edges even, uneven;
  std::mt19937 random(5);
  for (VertexId v = 0; v < 3000; ++v) {
    for (VertexId k = 0; k < 3; ++k) even.emplace_back(v, k);
    for (VertexId k = 0; k < random() % 5; ++k) uneven.emplace_back(v, k);
  }
  EXPECT_FALSE(engine::has_uneven_rows(Rows<>(abi_csr(csr_of(3000, even)))));
  EXPECT_TRUE(engine::has_uneven_rows(Rows<>(abi_csr(csr_of(3000, uneven)))));
}

}  // namespace
}  // namespace gaspipe
