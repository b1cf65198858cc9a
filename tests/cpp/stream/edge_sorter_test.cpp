// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/edge_sorter.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "gaspipe/error.h"
#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using sorted_edges::destination_of;
using sorted_edges::integer_of;
using sorted_edges::real_of;
using sorted_edges::source_of;
using Edge = std::pair<std::uint64_t, double>;  // partition of the destination, source, place in it; and weight

Edge edge(VertexId source, VertexId destination, double weight = 0) {
  const std::uint64_t partition = destination / kBlockCapacity, place = destination % kBlockCapacity;
  return {partition << 48 | std::uint64_t(source) << 16 | place, weight};
}

struct Given {
  std::vector<VertexId> sources, destinations;
};

Given random_edges(std::size_t count, VertexId num_vertices, unsigned seed) {
  std::mt19937 random(seed);
  Given given;
  for (std::size_t i = 0; i < count; ++i) {
    given.sources.push_back(random() % num_vertices);
    given.destinations.push_back(random() % num_vertices);
  }
  return given;
}

std::string folder() { return ::testing::TempDir(); }

void add(EdgeSorter& sorter, const Given& given, const Weights& weights = {},
         EdgeDirection direction = EdgeDirection::kForward) {
  sorter.add(given.sources.size(), given.sources.data(), given.destinations.data(), weights, direction);
}

std::vector<Edge> drained(EdgeSorter& sorter, std::uint64_t memory) {
  sorter.sort(memory);
  std::vector<Edge> edges;
  const bool reals = is_real(sorter.weight_type());
  for (EdgeSorter::Batch batch = sorter.next(); batch.num_edges > 0; batch = sorter.next()) {
    for (std::size_t i = 0; i < batch.num_edges; ++i) {
      const std::uint64_t key = batch.keys[i];
      const double weight = batch.weights == nullptr ? 0
                            : reals                  ? real_of(batch.weights[i])
                                                     : static_cast<double>(integer_of(batch.weights[i]));
      edges.push_back(edge(source_of(key), destination_of(key), weight));
    }
  }
  return edges;
}

std::vector<Edge> expected(const Given& given, const std::vector<double>& weights = {}) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < given.sources.size(); ++i) {
    edges.push_back(edge(given.sources[i], given.destinations[i], weights.empty() ? 0 : weights[i]));
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

TEST(EdgeSorter, SortsInMemory) {
  const Given given = random_edges(100000, 300000, 1);
  const std::vector<Edge> wanted = expected(given);
  for (const int num_threads : {1, 3}) {
    Workers workers(num_threads);
    EdgeSorter sorter(folder(), 64 << 20, workers);
    add(sorter, given);
    EXPECT_EQ(sorter.num_edges(), 100000u);
    EXPECT_EQ(sorter.num_vertices(),
              1u + std::max(*std::max_element(given.sources.begin(), given.sources.end()),
                            *std::max_element(given.destinations.begin(), given.destinations.end())));
    EXPECT_EQ(drained(sorter, 1 << 20), wanted);
    EXPECT_EQ(sorter.num_spilled(), 0u);
  }
}

TEST(EdgeSorter, SpillsAndMergesInSeveralPasses) {
  Workers workers(2);
  std::mt19937 random(2);
  std::vector<Edge> sorted;  // in order as they are made: to sort a million takes longer here than the sorter takes
  std::vector<std::pair<VertexId, VertexId>> ends;
  for (VertexId partition = 0; partition < 4; ++partition) {
    for (VertexId source = 0; source < 125000; ++source) {
      const VertexId one = random() % kBlockCapacity, other = random() % kBlockCapacity;
      for (const VertexId place : {std::min(one, other), std::max(one, other)}) {
        ends.emplace_back(source, partition * kBlockCapacity + place);
        sorted.push_back(edge(source, ends.back().second));
      }
    }
  }
  std::shuffle(ends.begin(), ends.end(), random);
  Given given;
  for (const auto& [source, destination] : ends) {
    given.sources.push_back(source);
    given.destinations.push_back(destination);
  }
  EdgeSorter sorter(folder(), EdgeSorter::kLeastMemory, workers);
  for (std::size_t first = 0; first < given.sources.size(); first += 70001) {
    const std::size_t count = std::min<std::size_t>(70001, given.sources.size() - first);
    sorter.add(count, given.sources.data() + first, given.destinations.data() + first, {});
  }
  const std::uint64_t once = sorter.num_spilled();
  EXPECT_GT(once, 7000000u);
  EXPECT_TRUE(drained(sorter, EdgeSorter::kLeastMemory) == sorted);
  EXPECT_GT(sorter.num_spilled(), 2 * once);  // runs of runs
}

TEST(EdgeSorter, SortsParallelEdgesByWeight) {
  Workers workers(2);
  const Given given = random_edges(150000, 30, 3);  // about 170 of each
  std::vector<double> weights;
  std::mt19937 random(4);
  for (std::size_t i = 0; i < given.sources.size(); ++i) weights.push_back(double(random() % 2001) / 4 - 250);
  const std::vector<Edge> wanted = expected(given, weights);
  for (const std::uint64_t memory : {std::uint64_t(EdgeSorter::kLeastMemory), std::uint64_t(64) << 20}) {
    EdgeSorter sorter(folder(), memory, workers);
    add(sorter, given, testing::array(weights));
    EXPECT_EQ(drained(sorter, EdgeSorter::kLeastMemory), wanted);
    EXPECT_EQ(sorter.weight_type(), WeightType::kFloat64);
  }
}

TEST(EdgeSorter, WidensWeightsThatHaveBeenSpilled) {
  Workers workers(1);
  const Given given = random_edges(100000, 1000, 5);
  std::vector<std::int32_t> narrow;
  for (std::size_t i = 0; i < given.sources.size(); ++i) narrow.push_back(std::int32_t(i) - 50000);
  std::vector<double> all(narrow.begin(), narrow.end());
  EdgeSorter sorter(folder(), EdgeSorter::kLeastMemory, workers);
  add(sorter, given, testing::array(narrow));
  EXPECT_EQ(sorter.weight_type(), WeightType::kInt32);
  Given both = given;
  add(sorter, {{7}, {9}}, testing::array(std::vector<std::int64_t>{std::int64_t(1) << 40}));
  EXPECT_EQ(sorter.weight_type(), WeightType::kInt64);
  add(sorter, {{7}, {9}}, testing::array(std::vector<double>{0.5}));
  add(sorter, {{7}, {9}}, testing::array(std::vector<std::int32_t>{3}));
  EXPECT_EQ(sorter.weight_type(), WeightType::kFloat64);
  for (const double weight : {double(std::int64_t(1) << 40), 0.5, 3.0}) {
    both.sources.push_back(7);
    both.destinations.push_back(9);
    all.push_back(weight);
  }
  EXPECT_EQ(drained(sorter, EdgeSorter::kLeastMemory), expected(both, all));
}

TEST(EdgeSorter, OrdersWordsAsTheirWeights) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> reals = {-kInfinity, -1e300, -1.5, -5e-324, -0.0, 0.0, 5e-324, 1, 1e300, kInfinity, kNan};
  for (std::size_t i = 0; i + 1 < reals.size(); ++i) {
    EXPECT_LT(sorted_edges::word_of(reals[i]), sorted_edges::word_of(reals[i + 1]));
    EXPECT_EQ(real_of(sorted_edges::word_of(reals[i])), reals[i]);
  }
  EXPECT_GT(sorted_edges::word_of(-kNan), sorted_edges::word_of(kInfinity));
  EXPECT_LT(sorted_edges::word_of(std::numeric_limits<std::int64_t>::min()), sorted_edges::word_of(std::int64_t(-1)));
  EXPECT_LT(sorted_edges::word_of(std::int32_t(-1)), sorted_edges::word_of(std::int64_t(0)));
}

TEST(EdgeSorter, TurnsEdgesRound) {
  Workers workers(2);
  const Given given = {{1, 2, 3}, {2, 3, 3}};
  EdgeSorter reverse(folder(), 1 << 20, workers), both(folder(), 1 << 20, workers);
  add(reverse, given, {}, EdgeDirection::kReverse);
  EXPECT_EQ(drained(reverse, 1 << 20), (std::vector<Edge>{edge(2, 1), edge(3, 2), edge(3, 3)}));
  add(both, given, {}, EdgeDirection::kBoth);
  EXPECT_EQ(both.num_edges(), 5u);
  EXPECT_EQ(drained(both, 1 << 20), (std::vector<Edge>{edge(1, 2), edge(2, 1), edge(2, 3), edge(3, 2), edge(3, 3)}));
}

TEST(EdgeSorter, SortsByRowsInMemoryAndInSeveralPasses) {
  const Given given = random_edges(400'000, 300'000, 9);
  std::vector<std::pair<VertexId, VertexId>> wanted;
  for (std::size_t i = 0; i < given.sources.size(); ++i) wanted.emplace_back(given.sources[i], given.destinations[i]);
  std::sort(wanted.begin(), wanted.end());
  for (const std::uint64_t memory : {EdgeSorter::kLeastMemory, std::uint64_t(1) << 30}) {
    Workers workers(2);
    EdgeSorter sorter(folder(), memory, workers, EdgeOrder::kRows);
    EXPECT_EQ(sorter.order(), EdgeOrder::kRows);
    add(sorter, given);
    sorter.sort(memory);
    std::vector<std::pair<VertexId, VertexId>> found;
    for (EdgeSorter::Batch batch = sorter.next(); batch.num_edges > 0; batch = sorter.next()) {
      for (std::size_t i = 0; i < batch.num_edges; ++i) {
        found.emplace_back(static_cast<VertexId>(batch.keys[i] >> 32), static_cast<VertexId>(batch.keys[i]));
      }
    }
    EXPECT_EQ(found, wanted);
  }
}

TEST(EdgeSorter, TakesTheLargestIdsAndNoEdges) {
  Workers workers(1);
  EdgeSorter sorter(folder(), 1 << 20, workers), empty(folder(), 1 << 20, workers);
  const VertexId last = kMostVertices - 1;
  add(sorter, {{last, 0}, {last, last}});
  EXPECT_EQ(sorter.num_vertices(), kMostVertices);
  EXPECT_EQ(drained(sorter, 1 << 20), (std::vector<Edge>{edge(0, last), edge(last, last)}));
  EXPECT_TRUE(drained(empty, 1 << 20).empty());
}

TEST(EdgeSorter, RefusesWhatIsNoVertexMixedWeightsAndLittleMemory) {
  Workers workers(1);
  EdgeSorter sorter(folder(), 1 << 20, workers);
  EXPECT_THROW(add(sorter, {{0}, {0xffffffffu}}), InputError);
  add(sorter, {{0}, {1}});
  EXPECT_THROW(add(sorter, {{0}, {1}}, testing::array(std::vector<float>{1})), InputError);
  EXPECT_THROW(EdgeSorter(folder(), EdgeSorter::kLeastMemory - 1, workers), InputError);
  sorter.sort(1 << 20);
  EXPECT_THROW(add(sorter, {{0}, {1}}), InputError);
}

TEST(EdgeSorter, StopsWhenInterrupted) {
  bool stop = false;
  Workers workers(1, [&] { return stop; });
  EdgeSorter sorter(folder(), EdgeSorter::kLeastMemory, workers);
  add(sorter, random_edges(400000, 1000, 6));
  stop = true;
  ::usleep(30000);
  EXPECT_THROW(sorter.sort(EdgeSorter::kLeastMemory), Cancelled);
}

// In a process of its own, for what is set cannot be taken back.
void fill_the_disk() {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1 << 20, 1 << 20};
  setrlimit(RLIMIT_FSIZE, &limit);
  Workers workers(1);
  EdgeSorter sorter(folder(), EdgeSorter::kLeastMemory, workers);
  try {
    add(sorter, random_edges(1000000, 1000, 7));
  } catch (const FileError& error) {
    const bool is_told =
        std::string(error.what()).find("writing sorted edges to a temporary file") != std::string::npos;
    std::_Exit(error.code == EFBIG && is_told && error.path == folder() ? 0 : 1);
  }
  std::_Exit(2);
}

TEST(EdgeSorterDeathTest, TellsOfAFullDisk) { EXPECT_EXIT(fill_the_disk(), ::testing::ExitedWithCode(0), ""); }

TEST(EdgeSorter, TellsOfAFolderThatIsNotThere) {
  std::string made = folder() + "gaspipe-XXXXXX";
  ASSERT_NE(mkdtemp(made.data()), nullptr);
  const std::string none = made + "/none";
  Workers workers(1);
  EdgeSorter sorter(none, EdgeSorter::kLeastMemory, workers);
  try {
    add(sorter, random_edges(1000000, 1000, 7));
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(error.code, ENOENT);
    EXPECT_EQ(error.path, none);
  }
  rmdir(made.c_str());
}

}  // namespace
}  // namespace gaspipe
