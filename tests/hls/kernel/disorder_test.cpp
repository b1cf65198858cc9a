// SPDX-License-Identifier: Apache-2.0
// The kernels under random orders and delays, of streams and of replies of memory: the answers stay, to the last bit of
// floating-point sums.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "hls/algorithm/bfs.h"
#include "hls/algorithm/sssp.h"
#include "hls/algorithm/weighted_pagerank.h"
#include "hls/kernel/apply.h"
#include "hls/kernel/gather_scatter.h"
#include "hls/thundergp/kernel.h"
#include "hls/thundergp/memory.h"
#include "tests/hls/emulator/any_order.h"
#include "tests/hls/kernel/packed_launch.h"

namespace gaspipe {
namespace {

using emulator::MemoryMap;
using testing::PackedLaunch;
using testing::SubPartition;
using Bfs = algorithm::bfs::Hooks<std::uint32_t>;
using Sssp = algorithm::sssp::Hooks<std::uint64_t>;
constexpr std::uint64_t kSeeds = 12;

// Every array in a bank of its own, so that replies of one overtake those of another.
template <class... Arrays>
MemoryMap banks_of(const Arrays&... arrays) {
  MemoryMap map(std::vector<emulator::Channel>(sizeof...(arrays)));
  std::size_t bank = 0;
  const auto add = [&](const auto& array) {
    map.add("array", array.data(), array.size() * sizeof(array[0]), bank++, true);
  };
  (add(arrays), ...);
  return map;
}

// Bits, because sums may be NaN or of another sign of zero.
template <class T>
std::vector<std::uint8_t> bits(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class Hooks, bool weighted>
struct Runs {
  using Words = std::vector<Word<typename Traits<Hooks>::Update>>;
  SubPartition<Hooks> part{2000, 0, 700, 5000, 7};

  template <class Kernel>
  auto with(const Kernel& kernel) const {
    return [this, &kernel] {
      Words gathered(part.num_gathered_words());
      MemoryMap map = banks_of(part.sources, part.destinations, part.weights, part.properties, gathered);
      MemoryMap::current() = &map;
      kernel(part, gathered);
      MemoryMap::current() = nullptr;
      return bits(part.values_of(gathered));
    };
  }
  std::string plain() const {
    const auto kernel = [](const SubPartition<Hooks>& s, Words& gathered) {
      gather_scatter<Hooks, Config<8, 8, 1024>, weighted>(s.sources.data(), s.destinations.data(), s.weights.data(),
                                                          s.properties.data(), gathered.data(), s.num_words(), s.first,
                                                          s.last);
    };
    return testing::difference_in_any_order(with(kernel), kSeeds);
  }
  std::string published() const {
    const auto kernel = [](const SubPartition<Hooks>& s, Words& gathered) {
      thundergp::gather_scatter<Hooks, Config<8, 16, 1024>, weighted>(
          s.sources.data(), s.destinations.data(), s.weights.data(), s.properties.data(), gathered.data(),
          s.num_words(), s.first, s.last, static_cast<std::uint32_t>(s.properties.size()));
    };
    return testing::difference_in_any_order(with(kernel), kSeeds);
  }
  std::string packed() const {
    const auto run = [this] {
      PackedLaunch<Hooks> launch({part, part});
      launch.template run<Config<16, 16, 1024>, weighted>();
      return bits(launch.values(0)) == bits(launch.values(1)) ? bits(launch.values(0)) : std::vector<std::uint8_t>();
    };
    EXPECT_FALSE(run().empty());
    return testing::difference_in_any_order(run, kSeeds);
  }
};

template <class Hooks, bool weighted>
void check(const char* what) {
  const Runs<Hooks, weighted> runs;
  EXPECT_EQ(runs.plain(), "") << what;
  EXPECT_EQ(runs.published(), "") << what;
  EXPECT_EQ(runs.packed(), "") << what;
}
TEST(Disorder, ChangesNoAnswerOfGatherScatterKernels) {
  check<Bfs, false>("bfs");
  check<Sssp, true>("sssp");
  check<algorithm::weighted_pagerank::Hooks<float>, true>("weighted pagerank");
}

// Properties and results after an apply of three units.
template <class Memory>
std::vector<std::uint32_t> applied() {
  using Words = std::vector<Word<std::uint32_t>>;
  constexpr VertexId kFirst = 16, kLast = 2010;
  std::mt19937 random(5);
  const auto levels = [&random](std::size_t num_words) {
    Words words(num_words);
    for (auto& word : words) {
      for (std::uint32_t& level : word.lane) level = random() % 3 == 0 ? random() % 9 : Bfs::kUnreached;
    }
    return words;
  };
  const Words properties = levels(130), aux = levels(130);
  const Words gathered[] = {levels(125), levels(125), levels(125)};
  Words updated[] = {properties, properties, properties};
  std::vector<ResultWord> sums(ApplyShape<Bfs>::kResultWords);
  MemoryMap map =
      banks_of(properties, aux, gathered[0], gathered[1], gathered[2], updated[0], updated[1], updated[2], sums);
  const Word<std::uint32_t>* gathered_at[kMostUnits];
  Word<std::uint32_t>* updated_at[kMostUnits];
  const Word<std::uint32_t>* inputs[1] = {aux.data()};
  for (int unit = 0; unit < 3; ++unit) {
    gathered_at[unit] = gathered[unit].data();
    updated_at[unit] = updated[unit].data();
  }
  MemoryMap::current() = &map;
  const std::uint32_t arg[kArgWords] = {};
  apply<Bfs, Memory>(3, gathered_at, properties.data(), inputs, updated_at, sums.data(), kFirst, kLast, arg);
  MemoryMap::current() = nullptr;
  std::vector<std::uint32_t> answer;
  for (const Words& words : updated) {
    for (const auto& word : words) answer.insert(answer.end(), word.lane, word.lane + 16);
  }
  for (const auto& word : sums) answer.insert(answer.end(), word.lane, word.lane + ResultWord::kSize);
  return answer;
}
TEST(Disorder, ChangesNoAnswerOfApplyKernels) {
  EXPECT_EQ(testing::difference_in_any_order(applied<StreamingMemory>, kSeeds), "");
  EXPECT_EQ(testing::difference_in_any_order(applied<thundergp::BufferedMemory>, kSeeds), "");
}

}  // namespace
}  // namespace gaspipe
