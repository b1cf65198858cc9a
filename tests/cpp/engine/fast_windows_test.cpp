// SPDX-License-Identifier: Apache-2.0
// Against the window that a kernel has, as a list that is searched and shifted. Values are texts of what was merged, so
// that every order shows.
#include "gaspipe/engine/fast_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace gaspipe {
namespace engine {
namespace {

using Left = std::vector<std::pair<std::uint32_t, std::string>>;  // what left, in order

class PlainWindow {
 public:
  void take(std::uint32_t address, const std::string& value, Left& left) {
    for (auto& [waiting, merged] : waiting_) {
      if (waiting == address) {
        merged = "(" + merged + "+" + value + ")";
        return;
      }
    }
    waiting_.emplace_back(address, value);
    if (waiting_.size() > static_cast<std::size_t>(kRawWindow)) leave(left);
  }
  void finish(Left& left) {
    while (!waiting_.empty()) leave(left);
  }

 private:
  void leave(Left& left) {
    left.push_back(waiting_.front());
    waiting_.pop_front();
  }
  std::deque<std::pair<std::uint32_t, std::string>> waiting_;
};

template <int parts>
void expect_the_same(std::uint32_t num_addresses, int num_updates, unsigned seed) {
  std::mt19937 random(seed);
  FastWindows<std::string, parts> windows(num_addresses);
  PlainWindow plain[parts];
  Left left[parts], expected[parts];
  const auto leave = [&](std::uint32_t address, const std::string& value) {
    left[address % parts].emplace_back(address, value);
  };
  for (int i = 0; i < num_updates; ++i) {
    // Some addresses more often than others, so that updates meet at every distance.
    const std::uint32_t address = std::min(random() % num_addresses, random() % num_addresses);
    const std::string value = std::to_string(i);
    windows.take(
        address % parts, address, value, [&](std::string& waiting) { waiting = "(" + waiting + "+" + value + ")"; },
        leave);
    plain[address % parts].take(address, value, expected[address % parts]);
  }
  windows.finish(leave);
  for (int part = 0; part < parts; ++part) {
    plain[part].finish(expected[part]);
    ASSERT_EQ(left[part], expected[part]) << "part " << part << " of " << parts << ", seed " << seed;
  }
}

TEST(FastWindows, MergeAndLeaveAsThoseOfKernels) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    expect_the_same<4>(64, 2000, seed);
    expect_the_same<8>(64, 2000, seed);
    expect_the_same<16>(400, 4000, seed);
    expect_the_same<8>(5, 300, seed);    // parts without addresses, windows that are never full
    expect_the_same<16>(1000, 3, seed);  // less than a window
  }
}

TEST(FastWindows, AreEmptyAfterTheEnd) {
  FastWindows<int, 4> windows(16);
  std::vector<std::uint32_t> left;
  const auto leave = [&](std::uint32_t address, int /*value*/) { left.push_back(address); };
  const auto merge = [](int& /*waiting*/) { FAIL() << "merges with an update that has left"; };
  windows.take(3, 3, 1, merge, leave);
  windows.finish(leave);
  windows.take(3, 3, 2, merge, leave);
  windows.finish(leave);
  EXPECT_EQ(left, (std::vector<std::uint32_t>{3, 3}));
}

}  // namespace
}  // namespace engine
}  // namespace gaspipe
