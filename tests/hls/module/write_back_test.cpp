// SPDX-License-Identifier: Apache-2.0
#include "hls/module/write_back.h"

#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::as_tokens;
using testing::as_values;
using testing::at_all_depths;
using testing::Random;
using testing::random_words;

template <class T>
class WriteBack : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kSize = 400;
  // Memory with the words from `first` on, and all else as it was.
  static std::vector<T> written(std::vector<Word<T>> memory, std::uint32_t first, const std::vector<Word<T>>& words) {
    std::copy(words.begin(), words.end(), memory.begin() + first);
    return as_values(memory);
  }
  Random random{6};
  const std::vector<Word<T>> before = random_words<T>(kSize, random);
};
using Numbers = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(WriteBack, Numbers);

TYPED_TEST(WriteBack, StopsAtTheEndAndTouchesNothingBeyond) {
  for (std::uint32_t num : {0u, 1u, 63u, 64u, 65u, 128u, 200u}) {
    const auto words = random_words<TypeParam>(num, this->random);
    stream<WordToken<TypeParam>> in;
    for (const auto& token : as_tokens(words)) in.write(token);
    in.write({Word<TypeParam>{}, false});  // of whatever follows
    auto memory = this->before;
    writeBack(37, memory.data(), in);
    EXPECT_EQ(in.size(), 1u);
    EXPECT_EQ(as_values(memory), this->written(this->before, 37, words));
  }
}

TYPED_TEST(WriteBack, LiteTakesAsManyAsItIsTold) {
  for (std::uint32_t num : {0u, 1u, 64u, 131u}) {
    const auto words = random_words<TypeParam>(num + 1, this->random);
    stream<Word<TypeParam>> in;
    for (const auto& word : words) in.write(word);
    auto memory = this->before;
    writeBackLite(11, 11 + num, memory.data(), in);
    EXPECT_EQ(in.size(), 1u);
    EXPECT_EQ(as_values(memory), this->written(this->before, 11, {words.begin(), words.end() - 1}));
  }
}

TYPED_TEST(WriteBack, AgreesWithinARegionAndOnABoard) {
  const auto words = random_words<TypeParam>(150, this->random), lite = random_words<TypeParam>(90, this->random);
  const auto tokens = as_tokens(words);
  at_all_depths([&] {
    for (bool mapped : {false, true}) {
      auto memory = this->before;
      emulator::MemoryMap map({emulator::Channel({64, 30, 0, 0})});
      map.add("memory", memory.data(), memory.size() * sizeof(memory[0]), 0, true);
      if (mapped) emulator::MemoryMap::current() = &map;
      {
        GASPIPE_DATAFLOW;
        GASPIPE_STREAM(WordToken<TypeParam>, ended, 8);
        GASPIPE_STREAM(Word<TypeParam>, counted, 8);
        GASPIPE_TASK(testing::feed(tokens, ended, 3));
        GASPIPE_TASK(testing::feed(lite, counted));
        GASPIPE_TASK(writeBack(5, memory.data(), ended));
        GASPIPE_TASK(writeBackLite(200, 290, memory.data(), counted));
        GASPIPE_RUN;
      }
      emulator::MemoryMap::current() = nullptr;
      auto expected = this->before;
      std::copy(words.begin(), words.end(), expected.begin() + 5);
      std::copy(lite.begin(), lite.end(), expected.begin() + 200);
      EXPECT_EQ(as_values(memory), as_values(expected));
      if (mapped) {
        EXPECT_EQ(map.channel(0).num_bytes(), 64.0 * (150 + 90));
      }
    }
  });
}

TYPED_TEST(WriteBack, CannotWriteWhatIsReadOnly) {
  auto memory = this->before;
  const auto tokens = as_tokens(memory);
  emulator::MemoryMap map({emulator::Channel()});
  map.add("memory", memory.data(), memory.size() * sizeof(memory[0]), 0, false);
  emulator::MemoryMap::current() = &map;
  const auto run = [&] {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(WordToken<TypeParam>, words, 8);
    GASPIPE_TASK(testing::feed(tokens, words));
    GASPIPE_TASK(writeBack(0, memory.data(), words));
    GASPIPE_RUN;
  };
  EXPECT_THROW(run(), emulator::DesignError);
  emulator::MemoryMap::current() = nullptr;
  EXPECT_EQ(as_values(memory), as_values(this->before));
}

}  // namespace
}  // namespace gaspipe
