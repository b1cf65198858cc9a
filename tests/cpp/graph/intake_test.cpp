// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/intake.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>

#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using namespace gaspipe::testing;

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

template <class F>
std::string fault(const F& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

template <class Id>
AnyIds ids(const std::vector<Id>& values) {
  return array(values);
}

// The same numbers as each type, more than one worker's share, with something wrong at two places.
template <class Id>
void expect_the_first_bad_id_to_be_found(Id bad, const std::string& text) {
  for (const std::size_t size : {std::size_t(3), std::size_t(300000)}) {
    std::vector<Id> values(size, 4);
    values[size - 1] = values[size / 2] = bad;
    for (const bool copies : {false, true}) {
      Workers workers(2);
      const Offsets offsets(array<std::uint32_t>({0, 0, 0, 0, 0, static_cast<std::uint32_t>(size)}));
      EXPECT_EQ(fault([&] { take_rows(5, 5, offsets, ids(values), {}, copies, workers); }),
                "indices[" + std::to_string(size / 2) + "] is " + text + "; 5 vertices allow 0 to 4");
    }
    Workers workers(3);
    EXPECT_EQ(fault([&] { take_edges(5, ids(std::vector<Id>(size, 4)), ids(values), {}, workers); }),
              "destinations[" + std::to_string(size / 2) + "] is " + text + "; 5 vertices allow 0 to 4");
  }
}

TEST(TakeIds, NamesTheFirstThatIsNoVertex) {
  expect_the_first_bad_id_to_be_found<std::int32_t>(-2, "-2 (unsigned: 4294967294)");
  expect_the_first_bad_id_to_be_found<std::int32_t>(5, "5");
  expect_the_first_bad_id_to_be_found<std::uint32_t>(5, "5");
  expect_the_first_bad_id_to_be_found<std::int64_t>(-1, "-1");
  expect_the_first_bad_id_to_be_found<std::int64_t>(5, "5");
  // Of these the lower halves are vertices.
  expect_the_first_bad_id_to_be_found<std::int64_t>(std::int64_t(1) << 32, "4294967296");
  expect_the_first_bad_id_to_be_found<std::int64_t>(std::numeric_limits<std::int64_t>::min(), "-9223372036854775808");
  expect_the_first_bad_id_to_be_found<std::uint64_t>((std::uint64_t(1) << 63) + 3, "9223372036854775811");
}

TEST(TakeIds, NarrowsTheLargestVertexThereIs) {
  Workers workers(1);
  const EdgeList edges =
      take_edges(kMostVertices, ids<std::uint64_t>({kMostVertices - 1}), ids<std::int64_t>({0}), {}, workers);
  EXPECT_EQ(edges.sources[0], 0xfffffffeu);
  EXPECT_NE(
      fault([&] { take_edges(kMostVertices, ids<std::uint64_t>({0}), ids<std::int64_t>({0xffffffff}), {}, workers); }),
      "");
  EXPECT_NE(fault([&] {
              take_edges(kMostVertices + 1, ids<std::uint64_t>({}), ids<std::int64_t>({}), {}, workers);
            }).find("4294967296 vertices are too many"),
            std::string::npos);
  EXPECT_EQ(fault([&] { take_edges(3, ids<std::uint64_t>({1}), ids<std::int64_t>({1, 2}), {}, workers); }),
            "there are 1 sources and 2 destinations; the two must be equal");
}

TEST(TakeRows, SharesWhatItCanOrCopiesAll) {
  Workers workers(2);
  const auto offsets = array<std::uint64_t>({0, 1, 2});
  const auto targets = array<std::int32_t>({1, 0});
  const auto weights = array<double>({0.5, 2});
  const Csr shared = take_rows(2, 2, Offsets(offsets), targets, weights, false, workers);
  EXPECT_EQ(shared.offsets.wide().data(), offsets.data());
  EXPECT_EQ(static_cast<const void*>(shared.targets.data()), targets.data());
  EXPECT_EQ(std::get<Array<double>>(shared.weights).data(), weights.data());
  const Csr copy = take_rows(2, 2, Offsets(offsets), targets, weights, true, workers);
  ASSERT_FALSE(copy.offsets.is_wide());
  EXPECT_EQ(list(copy.offsets.narrow()), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_NE(static_cast<const void*>(copy.targets.data()), targets.data());
  EXPECT_EQ(list(copy.targets), (std::vector<VertexId>{1, 0}));
  EXPECT_NE(std::get<Array<double>>(copy.weights).data(), weights.data());
  EXPECT_EQ(list(std::get<Array<double>>(copy.weights)), (std::vector<double>{0.5, 2}));
}

TEST(TakeRows, ChecksTheOffsetsToo) {
  Workers workers(1);
  const auto with = [&](std::vector<std::uint64_t> offsets, std::uint64_t num_rows) {
    return fault(
        [&] { take_rows(num_rows, 2, Offsets(array(offsets)), ids<std::int64_t>({0, 1}), {}, true, workers); });
  };
  EXPECT_EQ(with({0, 1, 2}, 2), "");
  EXPECT_NE(with({0, 2}, 2).find("2 rows need 3"), std::string::npos);
  EXPECT_NE(with({0, 1, kLargest}, 2).find("must be equal"), std::string::npos);
  EXPECT_NE(with({0, kLargest, 2}, 2).find("at row 1"), std::string::npos);
  EXPECT_NE(with({0, 1, 2}, kMostVertices + 1).find("too many vertices"), std::string::npos);
}

// By a map, which is ordered.
template <class Source, class Target>
void expect_numbers(const std::vector<Source>& sources, const std::vector<Target>& targets, int threads) {
  using Either = std::conditional_t<std::is_same_v<Source, std::uint64_t> || std::is_same_v<Target, std::uint64_t>,
                                    std::uint64_t, std::int64_t>;
  std::map<Either, VertexId> numbers;
  for (const Source id : sources) numbers[static_cast<Either>(id)] = 0;
  for (const Target id : targets) numbers[static_cast<Either>(id)] = 0;
  std::vector<std::uint64_t> labels;
  for (auto& [id, number] : numbers) {
    number = static_cast<VertexId>(labels.size());
    labels.push_back(static_cast<std::uint64_t>(id));
  }
  Workers workers(threads);
  const NumberedEnds numbered = number_ids(array(sources), array(targets), workers);
  EXPECT_EQ(list(numbered.labels), labels);
  const auto of = [&](const auto& end) {
    std::vector<VertexId> all;
    for (const auto id : end) all.push_back(numbers[static_cast<Either>(id)]);
    return all;
  };
  EXPECT_EQ(list(numbered.sources), of(sources));
  EXPECT_EQ(list(numbered.targets), of(targets));
}

template <class Id>
std::vector<Id> draw(std::size_t size, Id least, Id most, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<Id> any(least, most);
  std::vector<Id> ids(size);
  for (Id& id : ids) id = any(random);
  return ids;
}

TEST(NumberIds, AscendsWhateverTheTypesAndHoweverSparseTheyAre) {
  for (const std::size_t size : {std::size_t(0), std::size_t(1), std::size_t(70000)}) {  // the last is for two workers
    for (const int threads : {1, 3}) {
      if (size > 1 && threads == 1) continue;
      expect_numbers(draw<std::int32_t>(size, -500, 500, 1), draw<std::int32_t>(size, -9, 2000, 2), threads);
      expect_numbers(draw<std::int32_t>(size, INT32_MIN, INT32_MAX, 3), draw<std::uint32_t>(size, 0, UINT32_MAX, 4),
                     threads);
      expect_numbers(draw<std::int64_t>(size, INT64_MIN, INT64_MAX, 5), draw<std::int64_t>(size, -3, 3, 6), threads);
      expect_numbers(draw<std::uint64_t>(size, 0, UINT64_MAX, 7), draw<std::int64_t>(size, 0, INT64_MAX, 8), threads);
    }
  }
}

TEST(NumberIds, KeepsTheEndsOfTheRangeApart) {
  expect_numbers<std::int64_t, std::int64_t>({INT64_MIN, INT64_MAX, 0}, {INT64_MAX, -1, INT64_MIN}, 1);
  expect_numbers<std::uint64_t, std::uint64_t>({UINT64_MAX, 0, 1}, {0, UINT64_MAX, UINT64_MAX - 1}, 2);
  expect_numbers<std::uint64_t, std::int32_t>({UINT64_MAX, UINT64_MAX}, {0, INT32_MAX}, 1);
}

TEST(NumberIds, RefusesNegativeIdsBesideUnsignedOnes) {
  Workers workers(1);
  EXPECT_NE(fault([&] { number_ids(ids<std::int32_t>({-1}), ids<std::uint64_t>({1}), workers); }).find("negative ids"),
            std::string::npos);
}

}  // namespace
}  // namespace gaspipe
