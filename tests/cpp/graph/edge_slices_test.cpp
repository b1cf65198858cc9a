// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/edge_slices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace gaspipe {
namespace {

// Words of 16 edges by ascending source, the last one not full.
std::vector<VertexId> sources_of(std::mt19937& random, std::size_t num_edges, VertexId num_vertices) {
  std::vector<VertexId> sources(num_edges);
  for (VertexId& source : sources) source = static_cast<VertexId>(random() % num_vertices);
  std::sort(sources.begin(), sources.end());
  return sources;
}

EdgeSlices slices_of(const std::vector<VertexId>& sources) {
  EdgeSlices slices(sources.empty() ? 0 : sources[0]);
  for (std::size_t first = 0; first < sources.size(); first += 16) {
    const std::size_t last = std::min(first + 16, sources.size());
    slices.add(sources[last - 1], static_cast<int>(last - first));
  }
  return slices;
}

TEST(EdgeSlices, CoverTheEdgesOfAllVerticesThatSend) {
  const unsigned seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  constexpr VertexId kVertices = 40000;
  constexpr std::size_t kSlice = 16 * EdgeSlices::kWords;
  for (const std::size_t num_edges : {std::size_t(1), std::size_t(1000), std::size_t(50003)}) {
    const std::vector<VertexId> sources = sources_of(random, num_edges, kVertices);
    const EdgeSlices slices = slices_of(sources);
    for (int round = 0; round < 20; ++round) {
      ActiveSources active({0, 10000, 10016}, kVertices);  // blocks of 32, 16 and 64 vertices
      std::vector<std::uint64_t> bits(kVertices / 64);
      std::vector<VertexId> senders(random() % 4);
      for (VertexId& sender : senders) {
        sender = static_cast<VertexId>(random() % kVertices);
        bits[sender / 64] |= std::uint64_t(1) << sender % 64;
      }
      active.restart(bits);
      const bool is_exact = round % 2 == 0;
      if (!is_exact) active.forget_vertices();
      const VertexId block = is_exact ? 1 : 64;  // the largest
      const EdgeWindow window = slices.window(active);
      const std::size_t first = 16 * std::size_t(window.first_word);
      const std::size_t last = std::min(first + 16 * std::size_t(window.num_words), num_edges);
      for (std::size_t e = 0; e < num_edges; ++e) {
        const bool sends = std::find(senders.begin(), senders.end(), sources[e]) != senders.end();
        ASSERT_TRUE(!sends || (e >= first && e < last)) << "edge " << e << " of " << sources[e];
      }
      EXPECT_EQ(window.edges_before, window.num_words == 0 ? 0 : first);
      EXPECT_EQ(window.num_edges, window.num_words == 0 ? 0 : last - first);
      if (window.num_words == 0) continue;
      EXPECT_EQ(window.base_source, first == 0 ? sources[0] : sources[first - 1]);
      // Tight: a block with a sender meets the first slice, and one the last.
      const auto meets = [&](std::size_t from) {
        const VertexId low = from == 0 ? sources[0] : sources[from - 1];
        const VertexId high = sources[std::min(from + kSlice, num_edges) - 1];
        return std::any_of(senders.begin(), senders.end(),
                           [&](VertexId v) { return v + block > low && v < high + block; });
      };
      EXPECT_TRUE(meets(first));
      EXPECT_TRUE(meets((last - 1) / kSlice * kSlice));
      const EdgeWindow whole = window.from_first();
      EXPECT_EQ(whole.num_words, window.first_word + window.num_words);
      EXPECT_EQ(whole.num_edges, last);
    }
    ActiveSources active({0}, kVertices);
    EXPECT_EQ(slices.window(active).num_edges, num_edges);
    EXPECT_EQ(slices.whole().num_words, slices.num_words());
  }
}

TEST(EdgeSlices, OfNoEdgesAreEmpty) {
  EXPECT_EQ(EdgeSlices().whole().num_words, 0u);
  EXPECT_EQ(EdgeSlices().window(ActiveSources({0}, 16)).num_words, 0u);
  EXPECT_EQ(EdgeWindow().from_first().num_words, 0u);
}

TEST(ActiveSources, AreExactUntilTheFirstApply) {
  ActiveSources active({0, 4096}, 8192);  // blocks of 16 vertices
  std::vector<std::uint64_t> bits(8192 / 64);
  bits[5000 / 64] = std::uint64_t(1) << 5000 % 64;
  active.restart(bits);
  EXPECT_TRUE(active.any(4900, 5000));
  EXPECT_TRUE(active.any(5000, 5000));
  EXPECT_FALSE(active.any(0, 4999));
  EXPECT_FALSE(active.any(5001, 8191));
  active.set(0, ActivityWord{});  // from now on by blocks: 5000 is in that of 4992 to 5007
  EXPECT_TRUE(active.any(5001, 5001));
  EXPECT_FALSE(active.any(5008, 8191));
  EXPECT_FALSE(active.any(0, 4991));
  active.restart({});
  EXPECT_TRUE(active.any(0, 0));
}

TEST(ActiveSources, TakeVerticesPastTheEndForActive) {
  ActiveSources active({0, 64}, 100);
  active.set(0, ActivityWord{});
  active.set(1, ActivityWord{});
  EXPECT_FALSE(active.any(0, 99));
  EXPECT_TRUE(active.any(99, 100));  // ghosts of a domain
}

}  // namespace
}  // namespace gaspipe
