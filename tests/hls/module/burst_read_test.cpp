// SPDX-License-Identifier: Apache-2.0
#include "hls/module/burst_read.h"

#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::as_values;
using testing::at_all_depths;
using testing::Random;
using testing::random_words;

template <class T>
class BurstRead : public ::testing::Test {};
using Numbers = ::testing::Types<std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(BurstRead, Numbers);

template <class T>
std::vector<T> part(const std::vector<Word<T>>& words, std::uint32_t first, std::uint32_t last) {
  return as_values(std::vector<Word<T>>(words.begin() + first, words.begin() + last));
}

TYPED_TEST(BurstRead, SendsTheRangeInOrderAndOneEnd) {
  Random random(1);
  const auto memory = random_words<TypeParam>(300, random);
  for (auto [first, last] : {std::pair<std::uint32_t, std::uint32_t>{0, 0}, {0, 1}, {0, 300}, {63, 65}, {7, 299}}) {
    stream<WordToken<TypeParam>> alone;
    burstRead(first, last, memory.data(), alone);
    std::vector<Word<TypeParam>> words;
    while (alone.size() > 1) {
      const WordToken<TypeParam> token = alone.read();
      EXPECT_FALSE(token.end);
      words.push_back(token.word);
    }
    EXPECT_TRUE(alone.read().end);
    EXPECT_EQ(as_values(words), part(memory, first, last));
  }
}

TYPED_TEST(BurstRead, LiteSendsTheRangeWithoutAnEnd) {
  Random random(2);
  const auto memory = random_words<TypeParam>(70, random);
  stream<Word<TypeParam>> alone;
  burstReadLite(3, 68, memory.data(), alone);
  ASSERT_EQ(alone.size(), 65u);
  std::vector<Word<TypeParam>> words;
  testing::drain(alone, 65, words);
  EXPECT_EQ(as_values(words), part(memory, 3, 68));
}

TYPED_TEST(BurstRead, AgreesWithinARegion) {
  Random random(3);
  const auto memory = random_words<TypeParam>(200, random);
  at_all_depths([&] {
    std::vector<WordToken<TypeParam>> tokens;
    std::vector<Word<TypeParam>> words, lite;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(WordToken<TypeParam>, ended, 8);
      GASPIPE_STREAM(Word<TypeParam>, counted, 8);
      GASPIPE_TASK(burstRead(1, 150, memory.data(), ended));
      GASPIPE_TASK(burstReadLite(50, 200, memory.data(), counted));
      GASPIPE_TASK(testing::drain_to_end(ended, tokens, 5));
      GASPIPE_TASK(testing::drain(counted, 150, lite));
      GASPIPE_RUN;
    }
    for (const auto& token : tokens) words.push_back(token.word);
    EXPECT_EQ(as_values(words), part(memory, 1, 150));
    EXPECT_EQ(as_values(lite), part(memory, 50, 200));
  });
}

// A fixture for the memory of a board: one channel with a long latency.
struct Board {
  template <class T>
  explicit Board(const std::vector<Word<T>>& words) : map({emulator::Channel({64, 100, 0, 0})}) {
    map.add("words", words.data(), words.size() * sizeof(Word<T>), 0, false);
    emulator::MemoryMap::current() = &map;
  }
  ~Board() { emulator::MemoryMap::current() = nullptr; }
  emulator::MemoryMap map;
};

template <class T>
void read_range(const std::vector<Word<T>>& memory, std::uint32_t first, std::uint32_t last,
                std::vector<Word<T>>& out) {
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(Word<T>, words, 4);
  GASPIPE_TASK(burstReadLite(first, last, memory.data(), words));
  GASPIPE_TASK(testing::drain(words, last - first, out));
  GASPIPE_RUN;
}

TYPED_TEST(BurstRead, OverlapsItsConsumerAndWaitsForTheMemoryOnce) {
  Random random(4);
  const auto memory = random_words<TypeParam>(1000, random);
  const Board board(memory);
  std::vector<Word<TypeParam>> words;
  read_range(memory, 0, 1000, words);
  EXPECT_EQ(as_values(words), as_values(memory));
  EXPECT_GE(emulator::Engine::last_cycles(), 1100u);
  EXPECT_LE(emulator::Engine::last_cycles(), 1110u);
}

TYPED_TEST(BurstRead, CannotReadPastTheBuffer) {
  Random random(5);
  const auto memory = random_words<TypeParam>(10, random);
  const Board board(memory);
  std::vector<Word<TypeParam>> words;
  EXPECT_THROW(read_range(memory, 5, 11, words), emulator::DesignError);
}

}  // namespace
}  // namespace gaspipe
