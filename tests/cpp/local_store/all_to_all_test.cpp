// SPDX-License-Identifier: Apache-2.0
#include "cpp/src/local_store/all_to_all.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <set>
#include <thread>

#include "parts.h"

namespace gaspipe {
namespace local_store {
namespace {

using Code = std::uint32_t;

// The Qins of several workers.
struct Boxes {
  Boxes(int num_workers, std::size_t capacity)
      : store(std::size_t(num_workers) * num_workers * (128 + 4 * capacity + 64)) {
    mailboxes.resize(num_workers);
    for (auto& of : mailboxes) {
      for (int from = 0; from < num_workers; ++from) {
        const auto control = store.take<std::uint8_t>(kControlBytes, "the sentinel of a Qin");
        of.emplace_back(control, store.take<Code>(capacity * sizeof(Code), "Qin"));
      }
    }
  }
  Arena store;
  std::vector<std::vector<Mailbox<Code>>> mailboxes;
};

const auto kNow = [](const auto& done) { return done(); };

// CEL-10
TEST(LocalStoreAllToAll, SendsInACircularOrderWithoutSelfAndWithoutAHotReceiver) {
  for (int num_workers = 1; num_workers <= 16; ++num_workers) {
    std::vector<std::vector<int>> orders;
    for (int worker = 0; worker < num_workers; ++worker) {
      orders.push_back(send_order(worker, num_workers));
      const std::set<int> receivers(orders.back().begin(), orders.back().end());
      EXPECT_EQ(receivers.size(), std::size_t(num_workers) - 1);
      EXPECT_EQ(receivers.count(worker), 0u);
    }
    for (int k = 0; k + 1 < num_workers; ++k) {
      std::set<int> receivers;
      for (const auto& order : orders) receivers.insert(order[k]);
      EXPECT_EQ(receivers.size(), std::size_t(num_workers)) << "two send to one worker in step " << k;
    }
  }
}

// CEL-12
TEST(LocalStoreAllToAll, IsPreparedOnceAndReusedEachRound) {
  constexpr int kWorkers = 3;
  Boxes boxes(kWorkers, 4);
  std::vector<AllToAll<Code>> exchanges(kWorkers);
  std::vector<std::vector<std::uint8_t>> is_full(kWorkers, std::vector<std::uint8_t>(kWorkers, 0));
  for (int worker = 0; worker < kWorkers; ++worker) exchanges[worker].prepare(worker, boxes.mailboxes);
  for (Code round = 0; round < 20; ++round) {
    const bool is_last = round % 5 == 4;
    for (int worker = 0; worker < kWorkers; ++worker) {
      if (round % 5 == 0) exchanges[worker].begin_level();
      std::vector<Code> codes(kWorkers);
      for (int to = 0; to < kWorkers; ++to) codes[to] = 100 * round + 10 * worker + to;
      const auto out = [&](int to) { return Buffer<const Code>{&codes[to], 1}; };
      ASSERT_TRUE(exchanges[worker].send(out, is_last, is_full[worker], kNow));
      // The one before has not been taken.
      ASSERT_FALSE(exchanges[worker].send(out, is_last, is_full[worker], kNow));
    }
    for (int worker = 0; worker < kWorkers; ++worker) {
      std::vector<Code> got;
      ASSERT_TRUE(exchanges[worker].receive(
          [&](const Code* codes, std::uint32_t n) { got.insert(got.end(), codes, codes + n); }, [] { return false; },
          kNow));
      std::vector<Code> wanted;
      for (int k = 1; k < kWorkers; ++k)
        wanted.push_back(100 * round + 10 * ((worker - k + kWorkers) % kWorkers) + worker);
      EXPECT_EQ(got, wanted);
      EXPECT_EQ(exchanges[worker].is_open(), !is_last);
    }
  }
  EXPECT_EQ(exchanges[0].messages(), 40u);
  EXPECT_EQ(exchanges[0].codes_sent(), 40u);
}

TEST(LocalStoreAllToAll, SendsNoMoreToAnOwnerWhoseReceiptSaysItIsFull) {
  Boxes boxes(2, 4);
  AllToAll<Code> first, second;
  first.prepare(0, boxes.mailboxes);
  second.prepare(1, boxes.mailboxes);
  second.begin_level();
  std::vector<std::uint8_t> is_full = {0, 0};
  const Code code = 7;
  const auto out = [&](int) { return Buffer<const Code>{&code, 1}; };
  std::uint32_t sum = 0;
  const auto take = [&](const Code*, std::uint32_t count) { sum += count; };
  ASSERT_TRUE(first.send(out, false, is_full, kNow));
  ASSERT_TRUE(second.receive(take, [] { return true; }, kNow));
  EXPECT_EQ(is_full[1], 0);
  ASSERT_TRUE(first.send(out, true, is_full, kNow));
  EXPECT_EQ(is_full[1], 1);
  ASSERT_TRUE(second.receive(take, [] { return true; }, kNow));
  EXPECT_EQ(sum, 1u);
}

// CEL-11: what the receiver reads is what was sent in this epoch, however the threads are delayed. Payloads are written
// without atomics, so ThreadSanitizer reports an order that is too weak, and a buffer that is used again too early.
TEST(LocalStoreAllToAll, NeverShowsASentinelBeforeItsPayload) {
  for (const int num_workers : {2, 4}) {
    constexpr std::size_t kCapacity = 64;
    constexpr Code kRounds = 400;
    Boxes boxes(num_workers, kCapacity);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int worker = 0; worker < num_workers; ++worker) {
      threads.emplace_back([&, worker] {
        std::mt19937 random(static_cast<unsigned>(worker) + 10);
        const auto delay = [&] {
          switch (random() % 64) {
            case 0:
              return std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
            case 1:
            case 2:
              return std::this_thread::yield();
            default:
              for (volatile unsigned i = random() % 200; i > 0; i = i - 1) continue;
          }
        };
        const auto wait = [&](const auto& done) {
          delay();
          while (!done()) std::this_thread::yield();
          return true;
        };
        AllToAll<Code> exchange;
        exchange.prepare(worker, boxes.mailboxes);
        std::vector<std::uint8_t> is_full(num_workers, 0);
        std::vector<Code> codes(kCapacity);
        for (Code round = 0; round < kRounds; ++round) {
          exchange.begin_level();
          const std::size_t count = random() % (kCapacity + 1);
          const auto out = [&](int to) {
            std::fill(codes.begin(), codes.begin() + count, round * 1000 + 10 * worker + to);
            delay();
            return Buffer<const Code>{codes.data(), count};
          };
          exchange.send(out, true, is_full, wait);
          delay();
          int from = worker;
          exchange.receive(
              [&](const Code* got, std::uint32_t n) {
                from = (from - 1 + num_workers) % num_workers;
                delay();
                for (std::uint32_t i = 0; i < n; ++i) wrong += got[i] != round * 1000 + 10 * from + worker;
              },
              [] { return false; }, wait);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

// CEL-11
TEST(LocalStoreAllToAll, CountsEpochsOnAndNeverResetsThem) {
  Boxes boxes(2, 1);
  Mailbox<Code>& mailbox = boxes.mailboxes[1][0];
  // As after 2^32 - 1 messages.
  std::uint32_t epoch = 0xffffffff;
  mailbox.release(epoch, false);
  for (Code i = 0; i < 3; ++i) {
    EXPECT_TRUE(mailbox.is_free(epoch));
    if (epoch + 1 != 0) EXPECT_FALSE(mailbox.has(epoch + 1));
    mailbox.put(&i, 1, false, ++epoch);
    EXPECT_TRUE(mailbox.has(epoch));
    EXPECT_FALSE(mailbox.is_free(epoch));
    EXPECT_EQ(mailbox.message().codes[0], i);
    mailbox.release(epoch, i == 2);
    EXPECT_EQ(mailbox.is_full(), i == 2);
  }
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
