// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/engine/bitmap.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/cpp/engine/parts.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;
using engine::Bitmap;

std::set<VertexId> members(const Bitmap& bitmap) {
  std::set<VertexId> found;
  bitmap.each_in_words(0, bitmap.num_words(), [&](VertexId v) { found.insert(found.end(), v); });
  return found;
}

TEST(Bitmap, IsASet) {
  for (const VertexId size : {0u, 1u, 63u, 64u, 65u, 1000u}) {
    Bitmap bitmap(size);
    EXPECT_EQ(bitmap.size(), size);
    EXPECT_EQ(bitmap.num_words(), (size + 63) / 64);
    EXPECT_EQ(bitmap.count(), 0u) << "empty at first";
    std::set<VertexId> expected;
    std::mt19937 random(size);
    for (int i = 0; size > 0 && i < 3000; ++i) {
      const VertexId v = random() % size;
      if (random() % 3 == 0) {
        bitmap.clear(v);
        expected.erase(v);
      } else {
        bitmap.set(v);
        expected.insert(v);
      }
      ASSERT_EQ(bitmap.get(v), expected.count(v) == 1);
      ASSERT_EQ(bitmap.count(), expected.size());
    }
    for (VertexId v = 0; v < size; ++v) ASSERT_EQ(bitmap.get(v), expected.count(v) == 1);
    EXPECT_EQ(members(bitmap), expected);
    bitmap.clear();
    EXPECT_EQ(members(bitmap), std::set<VertexId>());
  }
}

TEST(Bitmap, LoopsOverRangesOfWords) {
  Bitmap bitmap(300);
  for (VertexId v = 0; v < 300; ++v) bitmap.set(v);
  bitmap.clear_words(1, 3);
  EXPECT_EQ(bitmap.count(), 300u - 128);
  EXPECT_TRUE(bitmap.get(63) && !bitmap.get(64) && !bitmap.get(191) && bitmap.get(192));
  bitmap.assign_words(2, 5, [](VertexId v) { return v % 7 == 0; });
  for (VertexId v = 0; v < 300; ++v) {
    EXPECT_EQ(bitmap.get(v), v < 64 || (v >= 128 && v % 7 == 0)) << v;
  }
  std::vector<VertexId> in_order;
  bitmap.each_in_words(4, 5, [&](VertexId v) { in_order.push_back(v); });
  EXPECT_EQ(in_order, (std::vector<VertexId>{259, 266, 273, 280, 287, 294})) << "and none past the last vertex";
}

TEST(Bitmap, MayLoseMembersWhileTheyAreVisited) {
  Bitmap bitmap(200);
  for (VertexId v = 0; v < 200; v += 3) bitmap.set(v);
  std::uint64_t visits = 0;
  bitmap.each_in_words(0, bitmap.num_words(), [&](VertexId v) {
    bitmap.clear(v);
    ++visits;
  });
  EXPECT_EQ(visits, 67u);
  EXPECT_EQ(bitmap.count(), 0u);
}

TEST(Bitmap, TellsOneThreadThatItSetABit) {
  constexpr VertexId kSize = 5000;
  for (const int number : {1, 2, 7}) {
    Threads threads(number);
    Bitmap bitmap(kSize);
    bitmap.set(kSize - 1);
    std::atomic<std::uint64_t> num_set{0};
    threads.workers().each(20 * kSize, 100, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t i = first; i < last; ++i)
        num_set += bitmap.set_atomic(static_cast<VertexId>(i * 7919 % kSize));
    });
    EXPECT_EQ(num_set, kSize - 1);
    EXPECT_EQ(bitmap.count(), kSize);
  }
}

}  // namespace
}  // namespace gaspipe
