// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/run_starts.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace gaspipe {
namespace engine {
namespace {

TEST(StartsUpTo, CountsBits) {
  for (int bits = 0; bits < 256; ++bits) {
    for (int k = 0; k < 8; ++k) {
      EXPECT_EQ(kStartsUpTo.counts[bits][k], __builtin_popcount(bits & ((2u << k) - 1)));
    }
  }
}

// Of every sub-partition of some runs: the bit of an edge is set where its run is not that of the edge before.
TEST(RunStarts, AreSetWhereTheRunIsAnother) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> lengths, run_of_edge;
  for (std::uint32_t run = 0; run < 12; ++run) {
    lengths.push_back(run == 5 ? 70 : 1 + random() % 6);
    run_of_edge.insert(run_of_edge.end(), lengths.back(), run);
  }
  abi::Partition part{};
  part.run_lengths = lengths.data();
  RunStarts starts;
  for (std::size_t first = 0; first < run_of_edge.size(); ++first) {
    for (std::size_t last = first; last <= run_of_edge.size(); ++last) {
      abi::SubPartition edges{first, last, run_of_edge[first], 0};
      for (std::size_t e = first; e > 0 && run_of_edge[e - 1] == run_of_edge[first]; --e) ++edges.skip;
      starts.note(part, edges);
      std::uint32_t count = 0;
      for (std::size_t i = 0; i < last - first; ++i) {
        const bool is_start = i != 0 && run_of_edge[first + i] != run_of_edge[first + i - 1];
        ASSERT_EQ(starts.bits()[i / 8] >> i % 8 & 1, is_start) << first << " " << last << " " << i;
        count += is_start;
      }
      const auto num_bytes = static_cast<std::uint32_t>((last - first + 7) / 8);
      ASSERT_EQ(RunStarts::count(starts.bits(), num_bytes), count) << "no bit past the last edge is set";
    }
  }
}

}  // namespace
}  // namespace engine
}  // namespace gaspipe
