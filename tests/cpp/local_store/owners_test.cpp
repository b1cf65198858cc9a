// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/local_store/owners.h"

#include <gtest/gtest.h>

namespace gaspipe {
namespace local_store {
namespace {

// CEL-17
TEST(LocalStoreOwners, GivesEveryVertexToOneWorkerAndMayGiveTheLastNone) {
  for (VertexId n : {1u, 2u, 7u, 9u, 64u, 65u, 1000u}) {
    for (int num_workers = 1; num_workers <= 12; ++num_workers) {
      const Owners owners(n, num_workers);
      VertexId sum = 0;
      for (int worker = 0; worker < num_workers; ++worker) {
        sum += owners.count(worker);
        EXPECT_LE(owners.count(worker), owners.share());
        for (VertexId v = owners.first(worker); v < owners.first(worker) + owners.count(worker); ++v) {
          EXPECT_EQ(owners.of(v), worker);
        }
      }
      EXPECT_EQ(sum, n);
    }
  }
  EXPECT_EQ(Owners(9, 8).count(4), 1u);
  EXPECT_EQ(Owners(9, 8).count(7), 0u);
  EXPECT_EQ(Owners(0xffffffffu, 3).of(0xfffffffeu), 2);
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
