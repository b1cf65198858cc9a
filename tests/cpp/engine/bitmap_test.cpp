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

// OLV-35: the set keeps its size, and a vertex that the other set has no bit for is not in the other.
TEST(Bitmap, CombinesWithSetsOfAnySize) {
  for (const VertexId size : {0u, 1u, 64u, 65u, 300u}) {
    for (const VertexId other_size : {0u, 1u, 63u, 64u, 129u, 300u, 1000u}) {
      const auto some = random_vertices(size, 2, 1), others = random_vertices(other_size, 2, 2);
      const auto made = [](VertexId n, const std::set<VertexId>& vertices) {
        Bitmap bitmap(n);
        for (const VertexId v : vertices) bitmap.set(v);
        return bitmap;
      };
      const Bitmap other = made(other_size, others);
      Bitmap both = made(size, some), either = made(size, some), one = made(size, some);
      both &= other;
      either |= other;
      one ^= other;
      std::set<VertexId> expected_both, expected_either, expected_one;
      for (VertexId v = 0; v < size; ++v) {
        const bool a = some.count(v) == 1, b = others.count(v) == 1;
        if (a && b) expected_both.insert(v);
        if (a || b) expected_either.insert(v);
        if (a != b) expected_one.insert(v);
      }
      EXPECT_EQ(members(both), expected_both);
      EXPECT_EQ(members(either), expected_either);
      EXPECT_EQ(members(one), expected_one);
      EXPECT_EQ(either.size(), size);
      EXPECT_EQ(either.count(), expected_either.size()) << "no bits past the last vertex";
      EXPECT_EQ(members(other), others);
      one.fill();
      EXPECT_EQ(one.count(), size);
    }
  }
}

TEST(Bitmap, TellsWhetherAVertexIsNew) {
  Bitmap bitmap(70);
  EXPECT_TRUE(bitmap.insert(69));
  EXPECT_FALSE(bitmap.insert(69));
  EXPECT_EQ(members(bitmap), std::set<VertexId>{69});
}

TEST(Bitmap, ClearsBitsBesideOtherThreads) {
  constexpr VertexId kSize = 5000;
  for (const int number : {1, 2, 7}) {
    Threads threads(number);
    Bitmap bitmap(kSize), copy(kSize);
    for (VertexId v = 0; v < kSize; v += 2) bitmap.set(v);
    threads.workers().each(kSize, 10, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t v = first; v < last; ++v) {
        v % 2 == 0 ? bitmap.clear_atomic(static_cast<VertexId>(v)) : void(bitmap.set_atomic(static_cast<VertexId>(v)));
      }
    });
    copy.fill();
    copy.copy_words(bitmap, 1, copy.num_words());
    for (VertexId v = 0; v < kSize; ++v) {
      ASSERT_EQ(bitmap.get(v), v % 2 == 1);
      ASSERT_EQ(copy.get(v), v < 64 || v % 2 == 1);
    }
  }
}

}  // namespace
}  // namespace gaspipe
