// SPDX-License-Identifier: Apache-2.0
// The word of activity that apply writes, against a plain loop over the vertices.
#include "hls/module/activity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "hls/algorithm/bfs.h"
#include "hls/algorithm/closeness.h"
#include "hls/algorithm/spmv.h"
#include "hls/algorithm/sssp.h"
#include "hls/algorithm/wcc.h"
#include "hls/kernel/apply.h"

namespace gaspipe {
namespace {

using Bfs = algorithm::bfs::Hooks<std::uint32_t>;
using Sssp = algorithm::sssp::Hooks<std::uint64_t>;
using FloatSssp = algorithm::sssp::Hooks<float>;
using Wcc = algorithm::wcc::Hooks<std::uint32_t>;
using Closeness = algorithm::closeness::Hooks<std::uint64_t>;
using Spmv = algorithm::spmv::Hooks<std::int32_t>;

// Sends in the super-step after it changed, as its property says: a source, but not idempotent.
struct ActiveBit : Bfs {
  static constexpr bool kIdempotent = false;
  static bool isActive(Property update) { return (update >> 31) != 0; }
  static bool isSource(Property level) { return (level >> 31) != 0; }
};

TEST(Activity, BlocksAreTheSmallestOfWhich512CoverThePartition) {
  EXPECT_EQ(log_block_size(0), 4u);
  EXPECT_EQ(log_block_size(1), 4u);
  for (std::uint32_t log = 4; log < 23; ++log) {
    EXPECT_EQ(log_block_size(kMostBlocks << log), log);
    EXPECT_EQ(log_block_size((kMostBlocks << log) + 1), log + 1);
  }
  EXPECT_EQ(log_block_size(0xffffffffu), 23u);
}

TEST(Activity, OfAVertexIsThatItIsASourceAndChanged) {
  constexpr std::uint32_t kUnreached = Bfs::kUnreached;
  EXPECT_TRUE(sends<Bfs>(kUnreached, 3));
  EXPECT_FALSE(sends<Bfs>(3, 3));
  EXPECT_FALSE(sends<Bfs>(kUnreached, kUnreached));
  EXPECT_TRUE(sends<Wcc>(9, 4));
  EXPECT_FALSE(sends<Wcc>(4, 4));
  EXPECT_TRUE(sends<ActiveBit>(1u << 31, 1u << 31));  // whenever it is a source
  EXPECT_FALSE(sends<ActiveBit>(5, 6));
  EXPECT_TRUE(sends<FloatSssp>(INFINITY, 1.5f));
  EXPECT_TRUE(sends<FloatSssp>(NAN, NAN));  // counts as changed, which is safe
  EXPECT_TRUE(sends<Spmv>(1, 1));
}

// Two compute units, vertices [first, last) of more; few of them gather anything.
template <class Hooks>
void check(std::mt19937& random, VertexId first, VertexId num, unsigned one_in) {
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Aux = typename Traits<Hooks>::Aux;
  SCOPED_TRACE(::testing::Message() << num << " vertices from " << first << ", one in " << one_in);
  const auto words = [](std::uint64_t values, std::size_t size) { return (values + size - 1) / size; };
  std::vector<Word<Property>> properties(words(first + num, Word<Property>::kSize));
  for (auto& word : properties) {
    for (Property& property : word.lane)
      property = random() % 2 == 0 ? Property(Traits<Hooks>::identity()) : Property(50);
  }
  std::vector<Word<Property>> updated[2] = {properties, properties};
  std::vector<Word<Value>> gathered[2];
  for (auto& bank : gathered) {
    bank.resize(words(num, Word<Value>::kSize));
    for (auto& word : bank) {
      for (Value& value : word.lane) value = random() % one_in == 0 ? Value(random() % 99) : Traits<Hooks>::identity();
    }
  }
  std::vector<Word<Aux>> inputs(words(first + num, Word<Aux>::kSize));
  std::vector<ResultWord> results(ApplyShape<Hooks>::kResultWords);
  const Word<Value>* gathered_at[2] = {gathered[0].data(), gathered[1].data()};
  Word<Property>* updated_at[2] = {updated[0].data(), updated[1].data()};
  const Word<Aux>* inputs_at[1] = {inputs.data()};
  const std::uint32_t arg[kArgWords] = {};
  apply<Hooks>(2, gathered_at, properties.data(), inputs_at, updated_at, results.data(), first, first + num, arg);
  std::vector<bool> active(kMostBlocks, false);
  std::uint32_t block = 16;
  while (std::uint64_t(block) * kMostBlocks < num) block *= 2;
  for (VertexId v = first; v < first + num; ++v) {
    constexpr std::size_t kSize = Word<Property>::kSize;
    const Property before = properties[v / kSize].lane[v % kSize], after = updated[1][v / kSize].lane[v % kSize];
    bool sends = Traits<Hooks>::is_source(after);
    if (Traits<Hooks>::kIdempotent && before == after) sends = false;
    if (sends) active[(v - first) / block] = true;
  }
  for (std::uint32_t i = 0; i < kMostBlocks; ++i) {
    EXPECT_EQ(results.back().lane[i / 64] >> (i % 64) & 1, std::uint64_t(active[i])) << "block " << i;
  }
}

template <class Hooks>
class ActivityOfApply : public ::testing::Test {};
using Programs = ::testing::Types<Bfs, Sssp, FloatSssp, Wcc, Closeness, Spmv, ActiveBit>;
TYPED_TEST_SUITE(ActivityOfApply, Programs);

TYPED_TEST(ActivityOfApply, IsThatOfAPlainLoop) {
  std::mt19937 random(11);
  for (const VertexId num : {1u, 15u, 16u, 17u, 1000u, 8192u, 8193u, 40000u}) {
    for (const unsigned one_in : {1u, 20u, 1000u, 100000u}) check<TypeParam>(random, 32, num, one_in);
  }
}

}  // namespace
}  // namespace gaspipe
