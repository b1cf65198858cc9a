// SPDX-License-Identifier: Apache-2.0
// What the tests of the array of PEs share: graphs, and whether what was found is a tree of shortest paths.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "gaspipe/pe_array.h"
#include "tests/cpp/local_store/parts.h"

namespace gaspipe {
namespace testing {

using Found = pe_array::Run;

struct Named {
  const char* name;
  Csr csr;
};
inline std::vector<Named> graphs() {
  Edges chain, star, parallel, hub, power;
  for (VertexId v = 0; v + 1 < 60; ++v) chain.push_back({v, v + 1});
  for (VertexId v = 1; v < 300; ++v) star.insert(star.end(), {{0, v}, {v, 0}});
  for (int i = 0; i < 200; ++i) parallel.insert(parallel.end(), {{0, 1}, {1, 1}, {1, 2}, {2, 0}});
  for (VertexId v = 0; v < 3000; ++v) hub.push_back({5, v % 40});  // one owner's, and more words than a code counts to
  // Ids that come the more often the smaller they are.
  for (const auto& [u, v] : random_edges(900, 9000, 3)) power.push_back({u * u / 900, v * v / 900});
  return {{"one vertex", csr_of(1, {})},
          {"fewer vertices than PEs", csr_of(3, {{0, 1}, {1, 2}})},
          {"loops", csr_of(4, {{0, 0}, {0, 1}, {1, 1}, {1, 3}})},
          {"two parts", csr_of(6, {{0, 1}, {1, 2}, {3, 4}, {4, 5}, {5, 3}})},
          {"a chain", csr_of(60, chain)},
          {"a star", csr_of(300, star)},
          {"parallel edges", csr_of(3, parallel)},
          {"a hub", csr_of(641, hub)},
          {"few edges", csr_of(1999, random_edges(1999, 3000, 1))},
          {"many edges", csr_of(701, random_edges(701, 20'000, 2))},
          {"a power law", csr_of(900, power)}};
}

// A pointer to what lives longer.
template <class T>
std::shared_ptr<const T> borrowed(const T& value) {
  return {std::shared_ptr<const void>(), &value};
}

template <class T>
std::vector<T> values(const Array<T>& array) {
  return {array.begin(), array.end()};
}

// Every parent is the source of an edge from the level before.
inline void expect_tree(const Csr& csr, VertexId root, const Found& run) {
  EXPECT_EQ(run.profile().parent[root], std::int64_t(root));
  for (VertexId v = 0; v < csr.num_rows; ++v) {
    if (run.depth[v] <= 0) {
      EXPECT_EQ(run.profile().parent[v], run.depth[v] < 0 ? -1 : std::int64_t(v));
      continue;
    }
    const auto parent = static_cast<VertexId>(run.profile().parent[v]);
    ASSERT_LT(parent, csr.num_rows);
    EXPECT_EQ(run.depth[parent] + 1, run.depth[v]);
    const VertexId* const row = csr.targets.data();
    EXPECT_NE(std::find(row + csr.offsets[parent], row + csr.offsets[parent + 1], v), row + csr.offsets[parent + 1]);
  }
}

}  // namespace testing
}  // namespace gaspipe
