// SPDX-License-Identifier: Apache-2.0
// A memory whose words are read kMarkWindow iterations before what was written to them is there, beside a plain bitmap.
#include "hls/module/mark_window.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace gaspipe {
namespace {

void check(std::uint32_t num_vertices, std::size_t num_marks) {
  std::mt19937 random(num_vertices);
  std::vector<std::uint64_t> now((num_vertices + 63) / 64, 0);
  std::vector<std::vector<std::uint64_t>> past(kMarkWindow, now);  // the newest last
  std::vector<std::uint32_t> rows(kMarkWindow, kNoMarkRow);        // likewise
  RowWindow window;
  struct {
    MarkWindow marks;
    std::uint64_t behind[4];
  } guarded = {{}, {1, 2, 3, 4}};
  MarkWindow& marks = guarded.marks;
  window.start();
  marks.start();
  for (std::size_t i = 0; i < num_marks; ++i) {
    const std::uint32_t v = random() % num_vertices, row = v / 64;
    int held = 0;
    for (int age = kMarkWindow; age >= 1; --age) {
      if (rows[rows.size() - age] == row) held = 1 << (age - 1);
    }
    const std::uint8_t taken = window.take(row);
    ASSERT_EQ(taken, held) << i;
    const bool is_new = (now[row] >> (v % 64) & 1) == 0;
    std::uint64_t marked = 0;
    ASSERT_EQ(marks.mark(taken, v % 64, past[past.size() - kMarkWindow][row], marked), is_new) << i;
    now[row] |= std::uint64_t(1) << (v % 64);
    ASSERT_EQ(marked, now[row]) << i;
    past.push_back(now);
    rows.push_back(row);
  }
  for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(guarded.behind[i], i + 1);
}

TEST(MarkWindow, HasTheMarksThatMemoryHasNotYet) {
  EXPECT_EQ(kMarkWindow, 4);
  check(64, 200);
  check(300, 600);
  check(700, 1500);
}

}  // namespace
}  // namespace gaspipe
