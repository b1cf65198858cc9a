// SPDX-License-Identifier: Apache-2.0
// Which updates of a long launch go through windows, and that answers are the same on both sides of that.
#include "gaspipe/engine/fast_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "gaspipe/engine/fast_packed.h"
#include "hls/algorithm/bfs.h"
#include "hls/algorithm/spmv.h"

namespace gaspipe {
namespace engine {
namespace {

constexpr std::uint32_t kWords = 2 * kMostInWindows / Word<VertexId>::kSize;
constexpr int kPes = 8;

// The hooks of a program, whose merges are counted.
template <class Base>
struct Counted : Base {
  static inline std::uint64_t num_merges = 0;
  static typename Base::Property updateMergeInRAWSolver(typename Base::Property a, typename Base::Property b) {
    ++num_merges;
    return Base::updateMergeInRAWSolver(a, b);
  }
};
using Levels = Counted<algorithm::bfs::Hooks<std::uint32_t>>;
using Sums = Counted<algorithm::spmv::Hooks<std::int32_t>>;
// An integer that the type does not tell of.
struct Total {
  std::int32_t value = 0;
  Total() = default;
  explicit Total(std::uint32_t of) : value(static_cast<std::int32_t>(of)) {}
  bool operator==(const Total& other) const { return value == other.value; }
};
struct TotalHooks {
  using Property = Total;
  static constexpr bool kReadsEdgeProperty = false;
  static constexpr int kAux = 0;
  static Total preprocessProperty(Total x) { return x; }
  static Total scatterFunc(Total x, Total /*weight*/) { return x; }
  static Total updateMergeInRAWSolver(Total a, Total b) { return gatherFunc(a, b); }
  static Total gatherFunc(Total a, Total b) { return Total(static_cast<std::uint32_t>(a.value + b.value)); }
};
using Totals = Counted<TotalHooks>;
// Keeps the worse of two.
struct Wrong : Levels {
  static std::uint32_t updateMergeInRAWSolver(std::uint32_t a, std::uint32_t b) { return std::max(a, b); }
};

// Twice as many edges as go through windows, few of them to other vertices: nearly every update could be merged.
template <class Property>
struct Launch {
  std::vector<Word<VertexId>> sources{kWords}, destinations{kWords};
  std::vector<Word<Property>> properties{4};

  Launch() {
    std::mt19937 random(7);
    for (auto& word : properties) {
      for (auto& property : word.lane) property = static_cast<Property>(random() % 1000);
    }
    for (std::uint32_t w = 0; w < kWords; ++w) {
      for (auto& source : sources[w].lane) source = random() % 64;
      for (auto& destination : destinations[w].lane) destination = random() % kPes;
    }
  }
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::uint32_t w = 0; w < kWords; ++w) {
      for (int i = 0; i < Word<VertexId>::kSize; ++i) {
        visit(destinations[w].lane[i], properties.data()->lane[sources[w].lane[i]]);
      }
    }
  }
  template <class Hooks>
  std::vector<Property> plain() const {
    std::vector<Word<Property>> gathered(1);
    fast_gather_scatter<Hooks, Config<8, kPes>>(sources.data(), destinations.data(), nullptr, properties.data(),
                                                gathered.data(), kWords, 0, kPes);
    return {gathered[0].lane, gathered[0].lane + kPes};
  }
  template <class Hooks>
  std::vector<Property> packed() const {
    SharedRows<Hooks, kPes> rows(kPes);
    each([&](VertexId destination, Property property) { rows.take(0, Update<Property>{destination, property}); });
    rows.rows.finish();
    const Word<Property> word = rows.word(0);
    return {word.lane, word.lane + kPes};
  }
};

// That `Hooks`, which merge exactly, find what is wanted of either kernel, with their first updates in windows.
template <class Hooks, class Property>
void expect_first_updates_in_windows(const Launch<Property>& launch, const std::vector<Property>& plain,
                                     const std::vector<Property>& packed) {
  for (const bool is_packed : {false, true}) {
    Hooks::num_merges = 0;
    const auto found = is_packed ? launch.template packed<Hooks>() : launch.template plain<Hooks>();
    EXPECT_EQ(found, is_packed ? packed : plain) << is_packed;
    EXPECT_LE(Hooks::num_merges, kMostInWindows) << is_packed;
    EXPECT_GT(Hooks::num_merges, kMostInWindows / 2) << "a wrong merge would not show";
  }
}

TEST(FastKernels, MinimaLeaveTheWindowsAfterAWhile) {
  const Launch<std::uint32_t> launch;
  std::vector<std::uint32_t> least(kPes, Levels::kUnreached), farther;
  launch.each([&](VertexId v, std::uint32_t level) { least[v] = std::min(least[v], level); });
  for (const std::uint32_t level : least) farther.push_back(level + 1);  // as preprocessing does
  expect_first_updates_in_windows<Levels>(launch, farther, least);
}

TEST(FastKernels, SumsOfIntegersLeaveTheWindowsAfterAWhile) {
  const Launch<std::int32_t> launch;
  std::vector<std::int32_t> sums(kPes, 0);
  launch.each([&](VertexId v, std::int32_t x) { sums[v] += x; });
  expect_first_updates_in_windows<Sums>(launch, sums, sums);
}

TEST(FastKernels, AMergeThatIsNoGatherShows) {
  const Launch<std::uint32_t> launch;
  // Of a launch of one word: in a long one, later updates may hide it.
  Word<std::uint32_t> right[1], wrong[1];
  const auto run = [&](auto hooks, Word<std::uint32_t>* gathered) {
    fast_gather_scatter<decltype(hooks), Config<8, kPes>>(launch.sources.data(), launch.destinations.data(), nullptr,
                                                          launch.properties.data(), gathered, 1, 0, kPes);
  };
  run(Levels(), right);
  run(Wrong(), wrong);
  EXPECT_FALSE(std::equal(right->lane, right->lane + kPes, wrong->lane));
}

TEST(FastKernels, SumsThatMayRoundGoThroughWindowsToTheEnd) {
  const Launch<Total> launch;
  std::vector<Total> sums(kPes);
  launch.each([&](VertexId v, Total x) { sums[v].value += x.value; });
  for (const bool is_packed : {false, true}) {
    Totals::num_merges = 0;
    EXPECT_EQ(is_packed ? launch.packed<Totals>() : launch.plain<Totals>(), sums) << is_packed;
    EXPECT_GT(Totals::num_merges, kMostInWindows) << is_packed;
  }
}

}  // namespace
}  // namespace engine
}  // namespace gaspipe
