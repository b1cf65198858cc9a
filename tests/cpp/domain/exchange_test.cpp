// SPDX-License-Identifier: Apache-2.0
// What domains give each other: ghosts hold what their owners have, in every form of a box, and sums are those of all.
#include "cpp/src/domain/exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "tests/cpp/testing.h"

namespace gaspipe {
namespace {

using testing::graph_of;
using testing::random_edges;

// Calls f(rank, communicator) on a thread for every rank.
template <class F>
void on_each(int size, const F& f) {
  const auto ranks = make_in_process(size, {});
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) threads.emplace_back([&, rank] { f(rank, *ranks[std::size_t(rank)]); });
  for (std::thread& thread : threads) thread.join();
}

// The value of a vertex after a step, the same on every rank.
template <class Value>
Value value_of(VertexId id, int step) {
  return static_cast<Value>(id * 31 + 1000003u * static_cast<unsigned>(step));
}
// How many vertices change in a step is another in each: none, few, many, all.
bool changes(VertexId id, int step) {
  constexpr unsigned kOneIn[] = {0, 97, 7, 2, 1};
  const unsigned one_in = kOneIn[step % 5];
  return one_in != 0 && (id * 2654435761u >> 7) % one_in == 0;
}

enum class Changed { kList, kBits, kAll };

template <class Value>
void check_steps(const Domains& domains, int num_steps, Changed as) {
  on_each(domains.size(), [&](int rank, Communicator& communicator) {
    Workers workers(1);
    const auto domain = domains.domain(View::kForward, abi::kNone, rank, workers);
    const Domain& own = *domain;
    Exchange exchange(own, communicator, "off", workers);
    const abi::Domain& table = *exchange.table();
    std::vector<Value> values(std::size_t(own.num_own) + own.num_ghosts);
    std::vector<Value> expected(domains.graph().num_vertices());
    for (VertexId v = 0; v < own.num_own; ++v) values[v] = value_of<Value>(own.id(v), 0);
    for (VertexId v = 0; v < expected.size(); ++v) expected[v] = value_of<Value>(v, 0);
    abi::Exchange first{};
    first.values = values.data();
    first.value_bytes = sizeof(Value);
    ASSERT_EQ(table.exchange(table.self, &first), 0);
    for (int step = 1; step < num_steps; ++step) {
      std::vector<VertexId> list;
      std::vector<std::uint64_t> bits(values.size() / 64 + 1);
      for (VertexId v = 0; v < own.num_own; ++v) {
        if (!changes(own.id(v), step)) continue;
        values[v] = value_of<Value>(own.id(v), step);
        list.push_back(v);
        bits[v / 64] |= std::uint64_t(1) << v % 64;
      }
      std::vector<VertexId> others;
      for (VertexId v = 0; v < expected.size(); ++v) {
        if (changes(v, step)) expected[v] = value_of<Value>(v, step);
      }
      for (VertexId g = 0; g < own.num_ghosts; ++g) {
        if (changes(own.ghost_ids[g], step)) others.push_back(own.num_own + g);
      }
      abi::Exchange what{};
      what.values = values.data();
      what.value_bytes = sizeof(Value);
      what.only_changed = 1;
      what.num_changed = list.size();
      list.push_back(kNoVertex);  // so that an empty list has a place
      if (as == Changed::kList) what.changed = list.data();
      if (as == Changed::kBits) what.changed_bits = bits.data();
      std::uint64_t sums[2] = {what.num_changed, static_cast<std::uint64_t>(rank)};
      what.sums = sums;
      what.num_sums = 2;
      what.sum_type = abi::kUint64;
      ASSERT_EQ(table.exchange(table.self, &what), 0);
      for (VertexId g = 0; g < own.num_ghosts; ++g) {
        ASSERT_EQ(values[own.num_own + g], expected[own.ghost_ids[g]]) << "step " << step << ", ghost " << g;
      }
      std::vector<VertexId> arrived(what.arrived, what.arrived + what.num_arrived);
      std::sort(arrived.begin(), arrived.end());
      EXPECT_EQ(arrived, others) << "step " << step;
      std::uint64_t num_changed = 0;
      for (VertexId v = 0; v < expected.size(); ++v) num_changed += changes(v, step);
      EXPECT_EQ(sums[0], num_changed);
      EXPECT_EQ(sums[1], std::uint64_t(domains.size()) * static_cast<std::uint64_t>(domains.size() - 1) / 2);
    }
  });
}

TEST(Exchange, SendsNothingWhereGhostsAreKnown) {
  const Graph graph = graph_of(300, random_edges(300, 900, 5));
  const Domains domains(graph, 3, {"mix", true});
  on_each(3, [&](int rank, Communicator& communicator) {
    Workers workers(1);
    const auto domain = domains.domain(View::kForward, abi::kNone, rank, workers);
    Exchange exchange(*domain, communicator, "off", workers);
    const abi::Domain& table = *exchange.table();
    EXPECT_EQ(std::vector<VertexId>(table.ghost_ids, table.ghost_ids + domain->num_ghosts),
              std::vector<VertexId>(domain->ghost_ids.begin(), domain->ghost_ids.end()));
    std::vector<std::uint64_t> values(std::size_t(domain->num_own) + domain->num_ghosts, 10 + std::uint64_t(rank));
    abi::Exchange what{};
    what.values = values.data();
    what.value_bytes = 8;
    what.ghosts_are_known = 1;
    ASSERT_EQ(table.exchange(table.self, &what), 0);
    EXPECT_EQ(values, std::vector<std::uint64_t>(values.size(), 10 + std::uint64_t(rank)));
    ASSERT_EQ(exchange.stats().size(), 1u);
    EXPECT_EQ(exchange.stats()[0].bytes_sent + exchange.stats()[0].bytes_received, 0u);
    EXPECT_EQ(exchange.value_bytes(), 8);
  });
}

class Exchanges : public ::testing::TestWithParam<std::tuple<int, const char*, Changed>> {};

TEST_P(Exchanges, FillGhostsWithWhatTheirOwnersHave) {
  const auto [size, strategy, as] = GetParam();
  const Graph graph = graph_of(3000, random_edges(3000, 9000, 5));
  const Domains domains(graph, size, {strategy, true});
  check_steps<std::uint32_t>(domains, 11, as);
  check_steps<std::uint64_t>(domains, 6, as);
}
INSTANTIATE_TEST_SUITE_P(All, Exchanges,
                         ::testing::Combine(::testing::Values(1, 2, 5), ::testing::Values("balanced", "hash"),
                                            ::testing::Values(Changed::kList, Changed::kBits, Changed::kAll)));

TEST(Exchange, OfDomainsWithoutVerticesOrEdges) {
  check_steps<std::uint32_t>(Domains(graph_of(3, {{0, 1}, {1, 2}}), 7, {"balanced", true}), 6, Changed::kList);
  check_steps<std::uint32_t>(Domains(graph_of(4, {}), 3, {"hash", true}), 6, Changed::kBits);
}

TEST(Exchange, AddsSumsOfDoublesInTheOrderOfTheRanks) {
  const Domains domains(graph_of(40, random_edges(40, 200, 1)), 4, {"mix", true});
  const double terms[] = {1e16, 1, -1e16, 1};
  const double expected = ((terms[0] + terms[1]) + terms[2]) + terms[3];
  on_each(4, [&](int rank, Communicator& communicator) {
    Workers workers(1);
    const auto domain = domains.domain(View::kForward, abi::kNone, rank, workers);
    Exchange exchange(*domain, communicator, "off", workers);
    for (const bool only_changed : {false, true}) {
      std::vector<std::uint32_t> values(std::size_t(domain->num_own) + domain->num_ghosts);
      double sum = terms[rank];
      abi::Exchange what{};
      what.values = values.data();
      what.value_bytes = 4;
      what.only_changed = only_changed;
      what.sums = &sum;
      what.num_sums = 1;
      what.sum_type = abi::kFloat64;
      ASSERT_EQ(exchange.table()->exchange(exchange.table()->self, &what), 0);
      EXPECT_EQ(sum, expected);
    }
    EXPECT_EQ(exchange.any(rank == 2), true);
    EXPECT_EQ(exchange.any(false), false);
  });
}

// OLV-31
TEST(Exchange, ValuesOfTheFirstHalfTravelWhileTheRestIsComputed) {
  const Graph graph = graph_of(20000, random_edges(20000, 60000, 5));
  for (const char* strategy : {"balanced", "mix"}) {
    const Domains domains(graph, 3, {strategy, true});
    on_each(3, [&](int rank, Communicator& communicator) {
      Workers workers(1 + rank % 2);
      const auto domain = domains.domain(View::kForward, abi::kNone, rank, workers);
      Exchange exchange(*domain, communicator, "on", workers);
      const abi::Domain& table = *exchange.table();
      ASSERT_GT(table.early_end, 0u);
      ASSERT_LT(table.early_end, domain->num_own);
      EXPECT_EQ(table.early_end % 2048, 0u);
      std::vector<double> values(std::size_t(domain->num_own) + domain->num_ghosts);
      for (int step = 0; step < 5; ++step) {
        for (VertexId v = 0; v < table.early_end; ++v) values[v] = value_of<double>(domain->id(v), step);
        // A step may go without it, on some ranks or on all.
        if (step != 1 && step != 2 + rank) {
          ASSERT_EQ(table.begin(table.self, values.data(), sizeof(double)), 0);
        }
        for (VertexId v = table.early_end; v < domain->num_own; ++v) {
          values[v] = value_of<double>(domain->id(v), step);
        }
        abi::Exchange what{};
        what.values = values.data();
        what.value_bytes = sizeof(double);
        double sum = 1;
        what.sums = &sum;
        what.num_sums = 1;
        what.sum_type = abi::kFloat64;
        ASSERT_EQ(table.exchange(table.self, &what), 0);
        EXPECT_EQ(sum, 3);
        for (VertexId g = 0; g < domain->num_ghosts; ++g) {
          ASSERT_EQ(values[domain->num_own + g], value_of<double>(domain->ghost_ids[g], step));
        }
        const ExchangeStats& last = exchange.stats().back();
        EXPECT_EQ(last.bytes_sent, domain->mirrors.size() * 8);
        EXPECT_EQ(last.bytes_received, domain->num_ghosts * std::uint64_t(8));
        EXPECT_GE(last.computing_seconds, 0);
        EXPECT_GE(last.exchanging_seconds, 0);
      }
    });
  }
}

TEST(Exchange, OverlapIsWorthItWhereBoxesAreLargeAndTravel) {
  const Domains domains(graph_of(20000, random_edges(20000, 60000, 5)), 2, {"mix", true});
  on_each(2, [&](int rank, Communicator& communicator) {
    Workers workers(1);
    const auto domain = domains.domain(View::kForward, abi::kNone, rank, workers);
    EXPECT_EQ(Exchange(*domain, communicator, "auto", workers).table()->early_end, 0u);
    EXPECT_EQ(Exchange(*domain, communicator, "off", workers).table()->early_end, 0u);
  });
}

TEST(Exchange, DomainsOfDifferentGraphsAreAnError) {
  const Domains few(graph_of(100, random_edges(100, 150, 2)), 2, {"balanced", true});
  const Domains many(graph_of(100, random_edges(100, 900, 3)), 2, {"balanced", true});
  on_each(2, [&](int rank, Communicator& communicator) {
    Workers workers(1);
    const auto domain = (rank == 0 ? few : many).domain(View::kForward, abi::kNone, rank, workers);
    Exchange exchange(*domain, communicator, "off", workers);
    std::vector<std::uint32_t> values(std::size_t(domain->num_own) + domain->num_ghosts);
    abi::Exchange what{};
    what.values = values.data();
    what.value_bytes = 4;
    what.only_changed = 1;
    EXPECT_NE(exchange.table()->exchange(exchange.table()->self, &what), 0);
    ASSERT_TRUE(exchange.failure());
    EXPECT_THROW(std::rethrow_exception(exchange.failure()), Error);
  });
}

TEST(InProcess, ARankThatFailsEndsTheWaitOfTheOthers) {
  std::atomic<int> num_told{0};
  on_each(4, [&](int rank, Communicator& communicator) {
    std::uint8_t send[4] = {}, receive[4];
    communicator.all_to_all(send, receive, 1);
    if (rank == 2) return communicator.fail("no more");
    try {
      communicator.all_to_all(send, receive, 1);
    } catch (const RankError& error) {
      EXPECT_STREQ(error.what(), "rank 2 of 4 has stopped: no more");
      ++num_told;
    }
  });
  EXPECT_EQ(num_told, 3);
}

TEST(InProcess, AnInterruptEndsAWait) {
  const auto ranks = make_in_process(2, {[] { return true; }});
  std::uint8_t send[2] = {}, receive[2];
  EXPECT_THROW(ranks[0]->all_to_all(send, receive, 1), Cancelled);
}

TEST(InProcess, BoxesOfAnotherSizeThanExpectedAreAnError) {
  std::atomic<int> num_errors{0};
  on_each(2, [&](int rank, Communicator& communicator) {
    const std::uint8_t bytes[8] = {};
    std::vector<Box> boxes(2);
    boxes[std::size_t(1 - rank)] = {bytes, 8};
    std::vector<std::uint64_t> expected(2);
    expected[std::size_t(1 - rank)] = rank == 0 ? 8 : 7;
    communicator.begin_boxes(boxes, expected);
    try {
      communicator.end_boxes();
    } catch (const Error&) {
      ++num_errors;
    }
  });
  EXPECT_EQ(num_errors, 1);
}

}  // namespace
}  // namespace gaspipe
