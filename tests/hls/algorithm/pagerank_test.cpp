// SPDX-License-Identifier: Apache-2.0
#include "hls/algorithm/pagerank.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace gaspipe {
namespace {

// The contribution is divided in 32 bits; in 64 the sum before the division would not wrap around.
TEST(PageRankFixed, RoundsContributionsToNearest) {
  using Hooks = algorithm::pagerank::Hooks<Fixed<32>>;
  const Hooks::Arg arg = {0, 1u << kFractionBits};  // all of what arrives, nothing of the teleport
  const std::uint32_t most = Fixed<32>::kMax;
  std::mt19937_64 random(31);
  std::vector<std::uint32_t> words = {0, 1, 2, 3, most / 2, most / 2 + 1, most - 2, most - 1, most};
  for (int i = 0; i < 300; ++i) words.push_back(static_cast<std::uint32_t>(random() >> (32 + random() % 32)));
  for (const std::uint32_t rank : words) {
    for (const std::uint32_t out_degree : words) {
      const std::uint32_t aux[Hooks::kAux] = {out_degree, 0};
      const std::uint64_t divisor = out_degree == 0 ? 1 : out_degree, wanted = (rank + divisor / 2) / divisor;
      const std::uint32_t source = most / 3;
      std::uint64_t extra[Hooks::kExtras] = {};
      ASSERT_EQ(Hooks::applyFunc(rank, source, aux, extra, arg), wanted) << rank << " / " << out_degree;
      const std::uint64_t change = wanted < source ? source - wanted : wanted - source;
      ASSERT_EQ(extra[algorithm::pagerank::kChange], change * divisor) << rank << " / " << out_degree;
    }
  }
}

}  // namespace
}  // namespace gaspipe
