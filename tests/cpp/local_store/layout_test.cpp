// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/local_store/layout.h"

#include <gtest/gtest.h>

#include <string>

#include "cpp/src/local_store/arena.h"

namespace gaspipe {
namespace local_store {
namespace {

std::string error_of(const Owners& owners, std::uint64_t num_bytes) {
  try {
    divide_store(owners, num_bytes);
  } catch (const CapacityError& error) {
    return error.what();
  }
  return "";
}

// CEL-16
TEST(LocalStoreLayout, FitsTenMillionVerticesInEightStoresOf256K) {
  const Layout layout = divide_store(Owners(10'000'000, 8), 256 * 1024);
  EXPECT_LE(layout.total(), 256u * 1024);
  EXPECT_GE(layout.bitmap, 10'000'000u / 64);
  EXPECT_GE(layout.message, 1024u);
}

// CEL-16
TEST(LocalStoreLayout, RefusesAStoreTooSmallForTheBitmapAndSaysTheLeast) {
  const Owners owners(10'000'000, 4);
  const std::uint64_t least = least_layout(owners).total();
  EXPECT_NE(error_of(owners, 256 * 1024).find("at least " + std::to_string(least)), std::string::npos);
  EXPECT_EQ(error_of(owners, least), "");
  EXPECT_NE(error_of(owners, least - 1), "");
}

TEST(LocalStoreLayout, GrowsOnlyTheBitmapWithTheGraph) {
  const Layout small = least_layout(Owners(1000, 4)), large = least_layout(Owners(100'000'000, 4));
  EXPECT_EQ(small.total() - small.bitmap, large.total() - large.bitmap);
}

TEST(LocalStoreLayout, NeverExceedsTheStore) {
  for (int num_workers : {1, 2, 3, 7, 64}) {
    const Owners owners(5000, num_workers);
    for (std::uint64_t more = 0; more < 70'000; more += 997) {
      const std::uint64_t num_bytes = least_layout(owners).total() + more;
      const Layout layout = divide_store(owners, num_bytes);
      EXPECT_LE(layout.total(), num_bytes);
      EXPECT_EQ(layout.lists % kLine, 0u);
    }
  }
}

TEST(LocalStoreLayout, RefusesLimitsThatNoListHas) {
  EXPECT_THROW(divide_store(Owners(10, 1), 4096, {0, 1024}), InputError);
  EXPECT_THROW(divide_store(Owners(10, 1), 4096, {8, 100}), InputError);
}

// CEL-16
TEST(LocalStoreArena, RefusesWhatDoesNotFitAndSaysWhatIsFree) {
  Arena arena(256);
  EXPECT_EQ(arena.take<std::uint32_t>(100, "a buffer").size, 25u);
  EXPECT_EQ(arena.used(), 100u);
  try {
    arena.take<std::uint8_t>(129, "bQ");
    FAIL() << "beyond the store";
  } catch (const CapacityError& error) {
    EXPECT_EQ(std::string(error.what()),
              "bQ needs 129 bytes, and of the local store's 256 bytes 128 are free; at least 257 are needed");
  }
  EXPECT_EQ(arena.take<std::uint8_t>(128, "bQ").size, 128u);
  EXPECT_EQ(arena.used(), arena.size());
  EXPECT_THROW(arena.take<std::uint8_t>(1, "bG"), CapacityError);
  EXPECT_THROW(Arena(64).take<std::uint8_t>(~std::uint64_t(0), "bG"), CapacityError);
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
