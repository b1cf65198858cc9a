// SPDX-License-Identifier: Apache-2.0
#include "hls/module/uram_word.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "hls/algorithm/pagerank.h"
#include "hls/algorithm/sssp.h"

namespace gaspipe {
namespace {

TEST(UramWord, HasLaneZeroInTheLowestBits) {
  const UramWord<std::uint32_t> two = {{0x89abcdef, 0x01234567}};
  EXPECT_EQ(pack_row(two), 0x0123456789abcdefu);
  EXPECT_EQ(unpack_row<std::uint32_t>(0x0123456789abcdefu).lane[0], 0x89abcdefu);
  EXPECT_EQ(unpack_row<std::uint32_t>(0x0123456789abcdefu).lane[1], 0x01234567u);
}

TEST(UramWord, RowsAreThoseOfTheRange) {
  EXPECT_EQ((rows_per_pe<std::uint32_t, 8>(16, 48)), 2u);
  EXPECT_EQ((rows_per_pe<std::uint32_t, 8>(16, 49)), 3u);
  EXPECT_EQ((rows_per_pe<std::uint64_t, 16>(32, 64)), 2u);
  EXPECT_EQ(words_per_row<8>(), 1);
  EXPECT_EQ(words_per_row<16>(), 2);
}

// Updates that leave the window merge to what all that came merge to; a row that waits takes what comes, and no row
// leaves twice in kRawWindow.
template <class Hooks, class Merge>
void check_rows(std::uint32_t num_values, const Merge& merge) {
  constexpr std::uint32_t kSize = UramWord<std::uint32_t>::kSize;
  std::mt19937 random(num_values);
  std::vector<std::uint32_t> wanted(num_values, Hooks::kIdentity), found = wanted;
  std::deque<std::uint32_t> waiting, left;
  std::size_t pushed = 0;
  const auto take = [&](const RowUpdate<std::uint32_t>& out) {
    for (const std::uint32_t row : left) EXPECT_NE(row, out.row);
    left.push_back(out.row);
    if (left.size() == kRawWindow) left.pop_front();
    EXPECT_FALSE(out.end);
    for (std::uint32_t lane = 0; lane < kSize; ++lane) {
      std::uint32_t& value = found[out.row * kSize + lane];
      if ((out.valid >> lane & 1u) != 0) value = merge(value, out.word.lane[lane]);
    }
    --pushed;
  };
  RowSolver<Hooks> window;
  window.start();
  RowUpdate<std::uint32_t> in, out;
  in.end = false;
  for (int i = 0; i < 2000; ++i) {
    const std::uint32_t index = random() % num_values, value = random() % 1000;
    row_update(index, value, in);
    ASSERT_EQ(in.row, index / 2);
    ASSERT_EQ(in.valid, index % 2 == 0 ? 1 : 2);
    wanted[index] = merge(wanted[index], value);
    bool waits = false;
    for (const std::uint32_t row : waiting) waits |= row == index / 2;
    if (!waits) waiting.push_back(index / 2);
    if (waiting.size() > kRawWindow) waiting.pop_front();
    pushed += !waits;
    if (window.step(in, out)) take(out);
  }
  EXPECT_EQ(pushed, waiting.size());
  for (int i = 0; i < kRawWindow; ++i) {
    if (window.flush(out)) take(out);
  }
  EXPECT_EQ(pushed, 0u);
  EXPECT_FALSE(window.flush(out));
  EXPECT_EQ(found, wanted);
}
TEST(RowSolver, MergesIntoRowsThatWait) {
  for (const std::uint32_t num_values : {2u, 6u, 20u, 64u}) {
    check_rows<algorithm::pagerank::Hooks<Fixed<32>>>(num_values, [](auto a, auto b) { return a + b; });
    check_rows<algorithm::sssp::Hooks<std::uint32_t>>(num_values, [](auto a, auto b) { return a < b ? a : b; });
  }
}

}  // namespace
}  // namespace gaspipe
