// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads: what comes of calls that do not fit together, and of sums that do not fit their type.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>

#include "cpp/src/domain/reduce.h"
#include "gaspipe/communicator.h"
#include "gaspipe/error.h"

namespace gaspipe {
namespace {

// What each of the ranks' errors says, or "".
std::vector<std::string> errors_of(int size, const std::function<void(Communicator&)>& body,
                                   const std::vector<std::function<bool()>>& interrupted = {}) {
  const auto ranks = make_in_process(size, interrupted);
  std::vector<std::string> errors(ranks.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    threads.emplace_back([&, i] {
      try {
        body(*ranks[i]);
      } catch (const std::exception& error) {
        errors[i] = error.what();
        ranks[i]->fail(error.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

TEST(InProcess, NamesTheRankThatExchangesAnotherNumberOfBytes) {
  const std::vector<std::uint8_t> sent(32);
  const auto body = [&](Communicator& rank) {
    std::vector<std::uint8_t> received(32);
    rank.all_to_all(sent.data(), received.data(), rank.rank() == 1 ? 8 : 4);
  };
  const std::vector<std::string> errors = errors_of(2, body);
  EXPECT_EQ(errors[0], "rank 1 exchanges 8 bytes with each rank, and rank 0 exchanges 4");
  EXPECT_EQ(errors[1], "rank 0 exchanges 4 bytes with each rank, and rank 1 exchanges 8");
}

TEST(InProcess, NamesTheRankWhoseBoxHasAnotherSize) {
  const std::vector<std::uint8_t> sent(16);
  const auto body = [&](Communicator& rank) {
    const std::uint64_t num_bytes = rank.rank() == 2 ? 16 : 8;
    std::vector<Box> boxes(3, Box{sent.data(), num_bytes});
    std::vector<std::uint64_t> expected(3, 8);
    boxes[static_cast<std::size_t>(rank.rank())] = {};
    expected[static_cast<std::size_t>(rank.rank())] = 0;
    rank.begin_boxes(boxes, expected);
    rank.end_boxes();
  };
  const std::vector<std::string> errors = errors_of(3, body);
  EXPECT_EQ(errors[0], "rank 2 sends 16 bytes to rank 0, which expects 8");
  EXPECT_EQ(errors[1], "rank 2 sends 16 bytes to rank 1, which expects 8");
  EXPECT_EQ(errors[2], "");
}

TEST(InProcess, EndsTheWaitsOfTheOthersWhenOneStops) {
  const auto body = [](Communicator& rank) {
    if (rank.rank() == 1) throw Error("no more");
    detail::sum_over_ranks(rank, 1);
  };
  const std::vector<std::string> errors = errors_of(3, body);
  EXPECT_EQ(errors[0], "rank 1 of 3 has stopped: no more");
  EXPECT_EQ(errors[2], errors[0]);
}

TEST(InProcess, EndsAWaitThatIsInterrupted) {
  const auto body = [](Communicator& rank) {
    if (rank.rank() == 0) detail::sum_over_ranks(rank, 1);  // rank 1 never comes
  };
  const auto ranks = make_in_process(2, {[] { return true; }});
  EXPECT_THROW(body(*ranks[0]), Cancelled);
}

TEST(AddOverRanks, AddsInBlocksAndRefusesSumsBeyondTheType) {
  constexpr std::uint64_t kCount = 23;
  const auto sums = [](std::uint64_t most_bytes, std::uint32_t largest) {
    return errors_of(3, [=](Communicator& rank) {
      std::vector<std::uint32_t> values(kCount);
      for (std::uint64_t i = 0; i < kCount; ++i)
        values[i] = static_cast<std::uint32_t>(100 * i + unsigned(rank.rank()));
      values[5] = rank.rank() == 0 ? largest : 1;
      detail::add_over_ranks(rank, values.data(), kCount, most_bytes);
      for (std::uint64_t i = 0; i < kCount; ++i) {
        const std::uint64_t expected = i == 5 ? std::uint64_t(largest) + 2 : 300 * i + 3;
        if (values[i] != expected) throw Error("wrong at " + std::to_string(i));
      }
    });
  };
  for (const std::uint64_t most_bytes : {1u, 16u, 4096u}) {
    EXPECT_EQ(sums(most_bytes, 0xfffffffd), std::vector<std::string>(3));
    int told = 0;
    for (const std::string& error : sums(most_bytes, 0xfffffffe)) {
      told += error == "a count over all ranks exceeds 32 bits";
    }
    EXPECT_EQ(told, 1) << "by the rank that adds up this share";
  }
}

}  // namespace
}  // namespace gaspipe
