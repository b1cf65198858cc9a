// SPDX-License-Identifier: Apache-2.0
#include "gaspipe/local_store/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <thread>

#include "parts.h"
#include "tests/cpp/whole.h"

namespace gaspipe {
namespace local_store {
namespace {

Answer search_by(const SplitLists& lists, VertexId root, const Settings& settings, int num_threads) {
  Workers workers(num_threads);
  return search(lists, root, settings, workers);
}

struct Named {
  const char* name;
  Csr csr;
};
std::vector<Named> graphs() {
  testing::Edges chain, star, complete;
  for (VertexId v = 0; v + 1 < 90; ++v) chain.push_back({v, v + 1});
  for (VertexId v = 1; v < 300; ++v) star.push_back({0, v});
  for (VertexId v = 1; v < 300; ++v) star.push_back({v, 0});
  for (VertexId u = 0; u < 40; ++u) {
    for (VertexId v = 0; v < 40; ++v) complete.push_back({u, v});
  }
  return {{"one vertex", testing::csr_of(1, {})},
          {"a loop", testing::csr_of(1, {{0, 0}})},
          {"no edges", testing::csr_of(5, {})},
          {"two parts", testing::csr_of(6, {{0, 1}, {1, 2}, {3, 4}, {4, 5}, {5, 3}})},
          {"a chain", testing::csr_of(90, chain)},
          {"a star", testing::csr_of(300, star)},
          {"a complete graph", testing::csr_of(40, complete)},
          {"few edges", testing::csr_of(2000, testing::random_edges(2000, 3000, 1))},
          {"many edges", testing::csr_of(700, testing::random_edges(700, 20'000, 2))}};
}

// CEL-1, CEL-14, CEL-17, CEL-21, CEL-24
TEST(LocalStoreSearch, FindsTheLevelsForAnyWorkersThreadsAndStores) {
  int case_number = 0;  // a graph and a number of workers have 48: of a fifth, with every single setting
  for (const Named& graph : graphs()) {
    const VertexId n = graph.csr.num_rows;
    for (const int num_workers : {1, 2, 3, 5, 8, 9}) {
      for (const int code_bits : {32, 64}) {
        const SplitLists lists = testing::split_lists(graph.csr, num_workers, code_bits);
        const std::uint64_t least = least_layout(lists.owners()).total();
        for (const VertexId root : {VertexId(0), n - 1}) {
          const std::vector<std::int32_t> wanted = testing::plain_levels(graph.csr, root);
          for (const int num_threads : {1, 3}) {
            for (const bool hide_latency : {false, true}) {
              for (const std::uint64_t num_bytes : {least, least + 3000, kDefaultStoreBytes}) {
                if (case_number++ % 5 != 0 && !testing::whole()) continue;
                Settings settings;
                settings.local_store_bytes = num_bytes;
                settings.hide_latency = hide_latency;
                const Answer answer = search_by(lists, root, settings, num_threads);
                ASSERT_EQ(testing::list(answer.depth), wanted)
                    << graph.name << ", " << num_workers << " workers of " << num_bytes << " bytes, " << num_threads
                    << " threads, codes of " << code_bits << " bits, root " << root;
                for (const WorkerProfile& worker : answer.profile.workers) ASSERT_LE(worker.used_bytes, num_bytes);
              }
            }
          }
        }
      }
    }
  }
}

// CEL-17
TEST(LocalStoreSearch, TakesMoreWorkersThanVertices) {
  const Csr csr = testing::csr_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  const SplitLists lists = testing::split_lists(csr, 64);
  EXPECT_EQ(testing::list(search_by(lists, 0, {}, 3).depth), (std::vector<std::int32_t>{0, 1, 2, 3, 4}));
}

// CEL-2, CEL-16
TEST(LocalStoreSearch, SearchesQueuesAndListsFarLargerThanItsStores) {
  const VertexId n = 110'000;
  const Csr csr = testing::csr_of(n, testing::random_edges(n, 8 * n, 7));
  const SplitLists lists = testing::split_lists(csr, 4);
  Settings settings;
  settings.local_store_bytes = 8 * 1024;
  EXPECT_GT(lists.num_bytes(), 100 * 4 * settings.local_store_bytes);
  const Answer answer = search_by(lists, 0, settings, 2);
  EXPECT_EQ(testing::list(answer.depth), testing::plain_levels(csr, 0));
  for (const WorkerProfile& worker : answer.profile.workers) {
    EXPECT_EQ(worker.used_bytes, answer.layout.total());
    EXPECT_LE(worker.used_bytes, settings.local_store_bytes);
  }
}

// CEL-16
TEST(LocalStoreSearch, SearchesTenMillionVerticesInEightStoresOf256K) {
  const VertexId n = 10'000'000;
  const VertexId stride = testing::whole() ? 1 : 8;  // a binary tree of every eighth vertex
  const VertexId num_reached = n / stride;
  const Writable<std::uint32_t> offsets(n + 1);
  const Writable<VertexId> targets(num_reached);
  for (VertexId i = 0; i < num_reached; ++i) targets[i] = i * stride;
  for (VertexId v = 0; v <= n; ++v) offsets[v] = std::min((v + stride - 1) / stride * 2, num_reached);
  Workers workers(2);
  const Csr csr{n, n, Offsets(offsets.freeze()), targets.freeze(), {}};
  const SplitLists lists(csr, 8, workers);
  const Answer answer = search(lists, stride, {}, workers);
  EXPECT_EQ(answer.depth[0], -1);
  for (const VertexId v : {1u, 2u, 3u, 1023u, 1024u, num_reached / 2, num_reached - 1}) {
    EXPECT_EQ(answer.depth[v * stride], 31 - __builtin_clz(v)) << v;
  }
  const Csr without_edges{n / 2, n / 2, Offsets(testing::array(std::vector<std::uint32_t>(n / 2 + 1))), {}, {}};
  EXPECT_THROW(search(SplitLists(without_edges, 2, workers), 1, {}, workers), CapacityError);
}

// CEL-9
TEST(LocalStoreSearch, SplitsRoundsWhereAllEdgesGoToOneOwner) {
  testing::Edges edges;
  for (VertexId v = 1; v < 3000; ++v) {
    edges.push_back({0, v});
    for (int i = 0; i < 5; ++i) edges.push_back({v, 3000 + v % 40});
  }
  const Csr csr = testing::csr_of(4000, edges);
  const SplitLists lists = testing::split_lists(csr, 4);
  Settings settings;
  settings.local_store_bytes = 8 * 1024;
  const Answer answer = search_by(lists, 0, settings, 2);
  EXPECT_EQ(testing::list(answer.depth), testing::plain_levels(csr, 0));
  std::uint64_t split = 0;
  for (const WorkerProfile& worker : answer.profile.workers) split += worker.split_periods;
  EXPECT_GT(split, 0u);
}

// CEL-14
TEST(LocalStoreSearch, EndsWhereAllCountsAreZeroWithIdleWorkers) {
  const Csr csr = testing::csr_of(1000, {{0, 1}, {1, 2}, {500, 501}});
  const Answer answer = search_by(testing::split_lists(csr, 8), 0, {}, 2);
  EXPECT_EQ(answer.profile.levels.size(), 3u);
  for (const Level& level : answer.profile.levels) EXPECT_EQ(level.vertices, 1u);
  EXPECT_EQ(answer.profile.workers[7].vertices, 0u);
}

// Beyond the published method.
TEST(LocalStoreSearch, EndsOnceAllVerticesAreMarked) {
  testing::Edges complete;
  for (VertexId u = 0; u < 200; ++u) {
    for (VertexId v = 0; v < 200; ++v) complete.push_back({u, v});
  }
  const Csr csr = testing::csr_of(200, complete);
  const Answer answer = search_by(testing::split_lists(csr, 3), 0, {}, 1);
  EXPECT_EQ(answer.profile.levels.size(), 1u);
  std::uint64_t edges = 0;
  for (const WorkerProfile& worker : answer.profile.workers) edges += worker.edges;
  EXPECT_EQ(edges, 200u);
}

// CEL-22
TEST(LocalStoreSearch, ReportsTheTimeOfEveryStep) {
  const VertexId n = 20'000;
  const Csr csr = testing::csr_of(n, testing::random_edges(n, 10 * n, 9));
  for (const bool hide_latency : {false, true}) {
    Settings settings;
    settings.hide_latency = hide_latency;
    settings.local_store_bytes = 16 * 1024;
    const Answer answer = search_by(testing::split_lists(csr, 3), 0, settings, 1);
    std::uint64_t vertices = 0;
    for (const WorkerProfile& worker : answer.profile.workers) {
      double sum = worker.stall_seconds;
      for (int step = 0; step < kNumSteps; ++step) {
        EXPECT_GT(worker.seconds[step], 0) << kStepNames[step];
        sum += worker.seconds[step];
      }
      EXPECT_LE(sum, answer.profile.seconds);
      EXPECT_GT(worker.periods, 1u);
      EXPECT_GT(worker.messages, 0u);
      EXPECT_GT(worker.codes_sent, 0u);
      EXPECT_GT(worker.transfers, 0u);
      EXPECT_GE(worker.transfer_entries, worker.transfers);
      vertices += worker.vertices;
    }
    const std::vector<std::int32_t> depth = testing::list(answer.depth);
    EXPECT_EQ(vertices, std::uint64_t(n - std::count(depth.begin(), depth.end(), -1)));
    EXPECT_TRUE(answer.profile.trace.empty());
  }
}

// CEL-15
TEST(LocalStoreSearch, LoadsTheNextIterationBesideThisOneAndStoresTheOneBefore) {
  const VertexId n = 20'000;
  const Csr csr = testing::csr_of(n, testing::random_edges(n, 20 * n, 9));
  Settings settings;
  settings.local_store_bytes = 16 * 1024;
  settings.trace = true;
  const Answer answer = search_by(testing::split_lists(csr, 2), 0, settings, 1);
  const auto find = [&](Step step, std::uint64_t iteration) -> const Event* {
    for (const Event& event : answer.profile.trace) {
      if (event.worker == 0 && event.step == step && event.iteration == iteration) return &event;
    }
    return nullptr;
  };
  int loads_beside = 0, stores_beside = 0;
  for (const Event& event : answer.profile.trace) {
    EXPECT_LE(event.begin, event.end);
    EXPECT_LE(event.end, answer.profile.seconds);
    if (event.worker != 0 || event.step != kBitmap) continue;
    const Event* const load = find(kGather, event.iteration + 1);
    loads_beside += load != nullptr && load->begin <= event.begin && load->end >= event.end;
    const Event* const store = event.iteration == 0 ? nullptr : find(kCommit, event.iteration - 1);
    stores_beside += store != nullptr && store->begin <= event.begin && store->end >= event.end;
  }
  EXPECT_GT(loads_beside, 10);
  EXPECT_GT(stores_beside, 2);

  settings.hide_latency = false;
  const Answer apart = search_by(testing::split_lists(csr, 2), 0, settings, 1);
  EXPECT_EQ(testing::list(apart.depth), testing::list(answer.depth));  // CEL-21
  for (const Event& a : apart.profile.trace) {
    for (const Event& b : apart.profile.trace) {
      const bool are_others = a.worker == 0 && b.worker == 0 && &a != &b && a.iteration == b.iteration;
      if (are_others && a.step == kGather && b.step == kBitmap) EXPECT_LE(a.end, b.begin);
    }
  }
}

// CEL-11, CEL-14: a search whose workers are delayed at random at every step.
TEST(LocalStoreSearch, FindsTheLevelsHoweverWorkersAreDelayed) {
  const VertexId n = 600;
  const Csr csr = testing::csr_of(n, testing::random_edges(n, 4 * n, 11));
  const std::vector<std::int32_t> wanted = testing::plain_levels(csr, 0);
  for (const int num_workers : {2, 4, 5}) {
    const SplitLists lists = testing::split_lists(csr, num_workers);
    for (const bool hide_latency : {false, true}) {
      std::vector<std::mt19937> random(static_cast<std::size_t>(num_workers));
      for (int worker = 0; worker < num_workers; ++worker) random[worker].seed(static_cast<unsigned>(worker));
      Settings settings;
      settings.hide_latency = hide_latency;
      settings.local_store_bytes = least_layout(lists.owners()).total() + 1000;
      settings.before_step = [&](int worker, Step) {
        const unsigned drawn = random[worker]() % 100;
        if (drawn == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));
        if (drawn < 10) std::this_thread::yield();
      };
      EXPECT_EQ(testing::list(search_by(lists, 0, settings, num_workers).depth), wanted);
    }
  }
}

TEST(LocalStoreSearch, EndsAllWorkersWhereOneThrows) {
  const Csr csr = testing::csr_of(5000, testing::random_edges(5000, 40'000, 12));
  const SplitLists lists = testing::split_lists(csr, 4);
  for (const int num_threads : {1, 2, 4}) {
    Settings settings;
    settings.local_store_bytes = 4096;
    std::atomic<int> steps{0};
    settings.before_step = [&](int worker, Step) {
      if (worker == 3 && ++steps > 40) throw CapacityError("thrown by a test");
    };
    EXPECT_THROW(search_by(lists, 0, settings, num_threads), CapacityError);
  }
}

TEST(LocalStoreSearch, StopsWhenInterrupted) {
  testing::Edges chain;
  for (VertexId v = 0; v + 1 < 100'000; ++v) chain.push_back({v, v + 1});
  const SplitLists lists = testing::split_lists(testing::csr_of(100'000, chain), 4);
  for (const int num_threads : {1, 2}) {
    Settings settings;
    settings.before_step = [](int, Step) { std::this_thread::sleep_for(std::chrono::microseconds(20)); };
    const auto start = std::chrono::steady_clock::now();
    Workers workers(num_threads,
                    [&] { return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(60); });
    EXPECT_THROW(search(lists, 0, settings, workers), Cancelled);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  }
}

TEST(LocalStoreSearch, RefusesRootsAndStoresThatDoNotWork) {
  const SplitLists lists = testing::split_lists(testing::csr_of(5, {{0, 1}}), 2);
  EXPECT_THROW(search_by(lists, 5, {}, 1), InputError);
  Settings settings;
  settings.local_store_bytes = 64;
  EXPECT_THROW(search_by(lists, 0, settings, 1), CapacityError);
}

}  // namespace
}  // namespace local_store
}  // namespace gaspipe
