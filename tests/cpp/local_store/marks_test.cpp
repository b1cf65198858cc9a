// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/local_store/marks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "parts.h"

namespace gaspipe {
namespace local_store {
namespace {

template <class Code>
class LocalStoreMarks : public ::testing::Test {};
using Widths = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(LocalStoreMarks, Widths);

// CEL-13
TYPED_TEST(LocalStoreMarks, TakesEachVertexOnceOf64Duplicates) {
  testing::OwnBuffer<std::uint64_t> words(4);
  const CodeSplit split{8};
  Marks<TypeParam> marks(words, 100, split);
  const std::vector<TypeParam> codes(64, make_code<TypeParam>(163, 7, split));
  std::vector<TypeParam> fresh(64);
  EXPECT_EQ(marks.mark(codes.data(), codes.size(), fresh.data()), 1u);
  EXPECT_EQ(fresh[0], codes[0]);
  EXPECT_EQ(marks.mark(codes.data(), codes.size(), fresh.data()), 0u);
  EXPECT_EQ(words.memory[0], std::uint64_t(1) << 63);
  EXPECT_EQ(words.memory[1], 0u);
}

// CEL-13
TYPED_TEST(LocalStoreMarks, KeepsTheFirstOfEveryVertexInOrder) {
  std::mt19937 random(8);
  testing::OwnBuffer<std::uint64_t> words(16);
  const CodeSplit split{4};
  Marks<TypeParam> marks(words, 7, split);
  std::set<VertexId> marked;
  for (const std::size_t count : {0, 1, 255, 256, 257, 2000}) {
    std::vector<TypeParam> codes(count), fresh(count), expected;
    for (TypeParam& code : codes) {
      code = make_code<TypeParam>(7 + random() % 1000, 1, split);
    }
    for (const TypeParam code : codes) {
      if (marked.insert(code_index(code, split)).second) expected.push_back(code);
    }
    fresh.resize(marks.mark(codes.data(), codes.size(), fresh.data()));
    EXPECT_EQ(fresh, expected);
  }
}

TYPED_TEST(LocalStoreMarks, InsertsTheRoot) {
  testing::OwnBuffer<std::uint64_t> words(1);
  const CodeSplit split{4};
  Marks<TypeParam> marks(words, 0, split);
  EXPECT_TRUE(marks.insert(5));
  EXPECT_FALSE(marks.insert(5));
  const TypeParam code = make_code<TypeParam>(5, 1, split);
  TypeParam fresh;
  EXPECT_EQ(marks.mark(&code, 1, &fresh), 0u);
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
