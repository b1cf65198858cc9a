// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/local_store/commit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "parts.h"

namespace gaspipe {
namespace local_store {
namespace {

using Code = std::uint32_t;
constexpr CodeSplit kSplit{8};

// CEL-5
TEST(LocalStoreCommit, StoresTheUnionAndTheLevelsWithoutLossAtTheEdgesOfBuffers) {
  for (const std::size_t count : {0, 1, 7, 8, 9, 16, 17, 100}) {
    for (const std::size_t beside : {0, 1, 3, 100}) {
      testing::OwnBuffer<Code> first(8), second(8);
      std::vector<std::int32_t> depth(count, -1);
      std::vector<Code> queue(count), wanted;
      Commit<Code> commit(first, second, kSplit, depth.data());
      commit.begin(queue.data(), 5);
      for (std::size_t i = 0; i < count; ++i) {
        if (commit.room().size == 0) commit.swap();
        wanted.push_back(make_code<Code>(static_cast<VertexId>(i), i, kSplit));
        commit.room()[0] = wanted.back();
        commit.added(1);
        commit.advance(beside);
      }
      commit.swap();
      commit.finish();
      EXPECT_TRUE(commit.is_empty());
      EXPECT_EQ(commit.count(), count);
      EXPECT_EQ(queue, wanted);
      EXPECT_EQ(depth, std::vector<std::int32_t>(count, 5));
    }
  }
}

// CEL-5
TEST(LocalStoreCommit, FillsOneHalfWhileTheOtherIsStored) {
  testing::OwnBuffer<Code> first(4), second(4);
  std::vector<std::int32_t> depth(8, -1);
  std::vector<Code> queue(8);
  Commit<Code> commit(first, second, kSplit, depth.data());
  commit.begin(queue.data(), 1);
  const auto add = [&](VertexId v) {
    commit.room()[0] = make_code<Code>(v, 0, kSplit);
    commit.added(1);
  };
  for (VertexId v = 0; v < 4; ++v) add(v);
  commit.swap();
  EXPECT_EQ(commit.count(), 0u);
  add(4);
  commit.advance(2);
  EXPECT_EQ(commit.count(), 2u);
  add(5);
  commit.finish();
  EXPECT_EQ(depth, (std::vector<std::int32_t>{1, 1, 1, 1, -1, -1, -1, -1}));
  commit.swap();
  commit.finish();
  EXPECT_EQ(commit.count(), 6u);
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
