// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/local_store/fetch.h"

#include <gtest/gtest.h>

#include <numeric>

#include "parts.h"

namespace gaspipe {
namespace local_store {
namespace {

constexpr std::uint32_t kPoison = 0xdeadbeef;

// CEL-3
TEST(LocalStoreFetch, ReadsOneHalfWhileTheOtherIsFilledAndNeverEarly) {
  for (std::size_t count : {0, 1, 3, 4, 5, 8, 9, 100}) {
    testing::OwnBuffer<std::uint32_t> first(4), second(4);
    Fetch<std::uint32_t> fetch(first, second);
    std::vector<std::uint32_t> queue(count);
    std::iota(queue.begin(), queue.end(), 1);
    fetch.begin(queue.data(), count);
    std::vector<std::uint32_t> read;
    const auto poison = [&](const std::uint32_t* half) {
      auto& memory = half == first.memory.data() ? first.memory : second.memory;
      std::fill(memory.begin(), memory.end(), kPoison);
    };
    EXPECT_FALSE(fetch.has_code());
    EXPECT_EQ(fetch.has_more(), count > 0);
    for (;;) {
      // Until load(), the half that is not read holds nothing of use.
      poison(fetch.loaded().data);
      fetch.load();
      if (!fetch.swap()) break;
      // Nor does it until the next load(), while this half is read.
      poison(fetch.loaded().data);
      for (; fetch.has_code(); fetch.pop()) read.push_back(fetch.code());
    }
    EXPECT_EQ(read, queue);
    EXPECT_FALSE(fetch.has_more());
  }
}

TEST(LocalStoreFetch, DoesNotLoadOverCodesThatAreNotRead) {
  testing::OwnBuffer<std::uint32_t> first(2), second(2);
  Fetch<std::uint32_t> fetch(first, second);
  const std::vector<std::uint32_t> queue = {1, 2, 3, 4, 5};
  fetch.begin(queue.data(), queue.size());
  fetch.load();
  fetch.load();  // has nothing to do
  ASSERT_TRUE(fetch.swap());
  fetch.load();
  EXPECT_EQ(fetch.code(), 1u);
  EXPECT_EQ(fetch.loaded()[0], 3u);
  fetch.drop();
  EXPECT_FALSE(fetch.has_more());
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
