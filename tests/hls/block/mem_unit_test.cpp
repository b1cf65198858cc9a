// SPDX-License-Identifier: Apache-2.0
// Memory units, the collector of ends, and whole chains: what they move, where they stop, and that no times matter.
#include "hls/block/mem_unit.h"

#include "hls/block/seed_names.h"
#include "tests/hls/block/chain.h"

namespace gaspipe {
namespace block {
namespace {

using namespace block::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using WordLine = Line<u32>;

void keep_word(stream<FinalWord>& in, FinalWord& word) { in.read(word); }
void send_word(FinalWord word, stream<FinalWord>& out) { out.write(word); }

struct ReadRun {
  std::vector<WordLine> lines;
  FinalWord beats = 0;
  double bytes = 0;
  emulator::Cycle cycles = 0;
};
ReadRun read_lines(const std::vector<WordLine>& memory, const std::vector<MemReq>& requests, u32 enable,
                   u32 latency = 30) {
  ReadRun run;
  std::size_t num = 0;
  for (const MemReq& request : requests) num += enable != 0 ? request.num : 0;
  Banks banks(1, latency);
  banks.add("memory", memory, 0);
  const std::vector<MemReq> tokens = with_end(requests);
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(MemReq, asked, 2);
    GASPIPE_STREAM(WordLine, lines, 64, 2);
    GASPIPE_STREAM(FinalWord, beats, 2);
    GASPIPE_TASK(feed(tokens, asked));
    GASPIPE_TASK(mem_rd_unit<u32>(memory.data(), enable, asked, lines, beats));
    GASPIPE_TASK(drain(lines, num, run.lines));
    GASPIPE_TASK(keep_word(beats, run.beats));
    GASPIPE_RUN;
  }
  run.bytes = banks.map().use("memory").bytes_read;
  run.cycles = emulator::Engine::last_cycles();
  return run;
}
std::vector<MemReq> random_requests(std::size_t num, std::uint64_t most, std::uint64_t lines, Random& random) {
  std::vector<MemReq> requests;
  for (std::size_t i = 0; i < num; ++i) {
    const std::uint64_t size = random() % (most + 1);
    requests.push_back({random() % (lines - size), size, false});
  }
  return requests;
}

// GOP-18, GOP-21: lines of the requests in their order, a beat counted for each; switched off, nothing moves.
TEST(MemUnit, CountsTheBeatsThatGoThrough) {
  Random random(1);
  const auto memory = gaspipe::testing::random_words<u32>(1000, random);
  const auto requests = random_requests(300, 200, 1000, random);
  const auto expected = as_values(answers(requests, memory));
  at_all_depths([&] {
    const ReadRun on = read_lines(memory, requests, 1), off = read_lines(memory, requests, 0);
    EXPECT_EQ(as_values(on.lines), expected);
    EXPECT_EQ(on.beats, expected.size() / 16);
    EXPECT_EQ(on.bytes, 4.0 * static_cast<double>(expected.size()));
    EXPECT_EQ(off.beats, 0u);
    EXPECT_EQ(off.bytes, 0.0);
    EXPECT_TRUE(off.lines.empty());
  });
}
// GOP-26: no more is asked of memory than there are places for, and one; with enough of them, its latency costs once.
TEST(MemUnit, AsksForNoMoreThanItCanDeliver) {
  Random random(2);
  const auto memory = gaspipe::testing::random_words<u32>(1000, random);
  const auto requests = random_requests(1000, 1, 1000, random);
  const ReadRun run = read_lines(memory, requests, 1, 50);
  EXPECT_LT(run.cycles, 1000 + 100u);  // a request a cycle
  emulator::Engine::current_options().shallow = true;
  const ReadRun shallow = read_lines(memory, requests, 1, 50);
  emulator::Engine::current_options().shallow = false;
  EXPECT_EQ(as_values(shallow.lines), as_values(run.lines));
  EXPECT_GT(shallow.cycles, run.beats / 3 * 50);  // two places and the unit's own: three lines each latency
}
TEST(MemUnit, ReportsWhatLiesOutsideOfItsBuffer) {
  const std::vector<WordLine> memory(10);
  try {
    read_lines(memory, {{8, 3, false}}, 1);
    FAIL() << "nothing was thrown";
  } catch (const emulator::DesignError& error) {
    EXPECT_NE(std::string(error.what()).find("mem_rd_unit: a port reads word 8 of 11 of buffer memory, which has 10"),
              std::string::npos)
        << error.what();
  }
}

struct WriteRun {
  std::vector<u32> values;
  std::vector<u32> acks;
  FinalWord beats = 0;
  double bytes = 0;
};
template <bool acknowledges>
WriteRun write_lines(std::size_t size, const std::vector<MemReq>& requests, const std::vector<WordLine>& lines,
                     u32 enable) {
  WriteRun run;
  std::vector<WordLine> memory(size);
  Banks banks(1);
  banks.add("memory", memory, 0, true);
  const std::vector<MemReq> tokens = with_end(requests);
  {
    WordLine* const words = memory.data();
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(MemReq, asked, 2);
    GASPIPE_STREAM(WordLine, in, 2);
    GASPIPE_STREAM(u32, acks, 2);
    GASPIPE_STREAM(FinalWord, beats, 2);
    GASPIPE_TASK(feed(tokens, asked));
    GASPIPE_TASK(feed(lines, in, 1));
    if (acknowledges) {
      GASPIPE_TASK(mem_wr_unit<u32>(words, enable, asked, in, acks, beats));
      GASPIPE_TASK(drain(acks, requests.size(), run.acks));
    } else {
      GASPIPE_TASK(mem_wr_unit<u32>(words, enable, asked, in, beats));
    }
    GASPIPE_TASK(keep_word(beats, run.beats));
    GASPIPE_RUN;
  }
  run.values = as_values(memory);
  run.bytes = banks.map().use("memory").bytes_written;
  return run;
}
// GOP-18, GOP-21: writes the lines of the requests and nothing else, and acknowledges each request, also an empty one.
TEST(MemUnit, WritesTheLinesOfRequests) {
  Random random(3);
  std::vector<MemReq> requests;
  std::vector<u32> expected(16 * 500, 0);
  std::vector<WordLine> lines;
  for (std::uint64_t at = 0; at < 400;) {
    const std::uint64_t num = random() % 90;
    requests.push_back({at, num, false});
    for (std::uint64_t i = 0; i < num; ++i) {
      lines.push_back(gaspipe::testing::random_words<u32>(1, random)[0]);
      std::copy(lines.back().lane, lines.back().lane + 16, expected.begin() + static_cast<long>(16 * (at + i)));
    }
    at += num + random() % 3;
  }
  at_all_depths([&] {
    const WriteRun with = write_lines<true>(500, requests, lines, 1),
                   without = write_lines<false>(500, requests, lines, 1);
    EXPECT_EQ(with.values, expected);
    EXPECT_EQ(without.values, expected);
    EXPECT_EQ(with.beats, lines.size());
    EXPECT_EQ(with.bytes, 64.0 * static_cast<double>(lines.size()));
    ASSERT_EQ(with.acks.size(), requests.size());
    for (u32 i = 0; i < with.acks.size(); ++i) EXPECT_EQ(with.acks[i], i);
    const WriteRun off = write_lines<true>(500, requests, lines, 0);
    EXPECT_EQ(off.values, std::vector<u32>(16 * 500, 0));
    EXPECT_EQ(off.beats + static_cast<FinalWord>(off.bytes), 0u);
    EXPECT_EQ(off.acks.size(), requests.size());
  });
}

void late_word(emulator::Cycle when, FinalWord word, stream<FinalWord>& out) {
  GASPIPE_PIPELINE(static_cast<u32>(when));
  out.write(word);
}
void never_ends(stream<FinalWord>& nothing, stream<FinalWord>& out) { out.write(nothing.read()); }
void silent(stream<FinalWord>&) {}

// GOP-19: ends once all have, with their words; a watchdog ends a chain that hangs, and the report names the block.
TEST(EndCollect, EndsWhenAllHaveAndTellsWhoHasNot) {
  constexpr int kNum = 9;
  for (u32 watchdog : {0u, 500u}) {
    std::vector<Line<FinalWord>> status(end_lines<kNum>());
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAMS(FinalWord, ends, kNum, 1);
      for (int i = 0; i < kNum; ++i) {
        GASPIPE_TASK_I(
            i, late_word(static_cast<emulator::Cycle>(1 + i * 37 % 50 * 8), 100u + static_cast<u64>(i), ends[i]));
      }
      GASPIPE_TASK(end_collect<kNum>(watchdog, ends, status.data()));
      GASPIPE_RUN;
    }
    EXPECT_GE(emulator::Engine::last_cycles(), 8u * 48);
    const auto words = as_values(status);
    EXPECT_EQ(words[0], kAllEnded);
    EXPECT_EQ(words[1], (1u << kNum) - 1);
    for (std::size_t i = 0; i < kNum; ++i) EXPECT_EQ(words[2 + i], 100 + i);
  }
  std::vector<Line<FinalWord>> status(1);
  const auto hang = [&](u32 watchdog) {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAMS(FinalWord, ends, 2, 1);
    GASPIPE_STREAM(FinalWord, nothing, 1);
    GASPIPE_TASK(send_word(5, ends[0]));
    GASPIPE_TASK(never_ends(nothing, ends[1]));
    GASPIPE_TASK(silent(nothing));
    GASPIPE_TASK(end_collect<2>(watchdog, ends, status.data()));
    GASPIPE_RUN;
  };
  for (u32 watchdog : {100u, 0u}) {
    try {
      hang(watchdog);
      FAIL() << "nothing was thrown";
    } catch (const emulator::Deadlock& error) {
      EXPECT_NE(std::string(error.what()).find("never_ends"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(status[0].lane[0], kTimedOut);
  EXPECT_EQ(status[0].lane[1], 1u);
  EXPECT_EQ(status[0].lane[2], 5u);
}

struct AddUp {
  using Value = u32;
  static constexpr int kCycles = 1;
  static Value identity() { return 0; }
  static Value map(u32 element, const Args&) { return element; }
  static Value combine(Value a, Value b) { return a + b; }
  static Value finish(Value value, const Args& args) { return args.word[0] + value; }
};

// A chain of the blocks that GraphOps publishes as PageRank: for_all_prop_rdr, nbr_prop_red, elem_update, with five
// memory units, and a sink that may be slow.
template <int throttle = 1>
std::vector<u32> sums_of_neighbors(const Rows& rows, const std::vector<u32>& replicas, std::vector<FinalWord>* ends,
                                   u32 pause = 0) {
  const std::vector<RowLine> row_memory = rows.lines();
  const std::vector<WordLine> replica_memory = as_words<u32>(replicas, 0);
  std::vector<WordLine> property_memory = as_words<u32>(std::vector<u32>(rows.size(), 9), 0);
  std::vector<Line<FinalWord>> status(end_lines<4>());
  Banks banks(3);
  banks.add("rows", row_memory, 0);
  banks.add("replicas", replica_memory, 1);
  banks.add("properties", property_memory, 2, true);
  banks.add("status", status, 2, true);
  {
    using Result = VertexProperty<u32>;
    using Entry = LineUpdate<u32>;
    using Lines = SeqCoalescer<u32, Overwrite<u32>>;
    const VertexId n = rows.size();
    WordLine* const properties = property_memory.data();
    Line<FinalWord>* const words = status.data();
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(MemReq, row_requests, 16);
    GASPIPE_STREAM(RowLine, row_lines, 64);
    GASPIPE_STREAM(MemReq, replica_requests, 16);
    GASPIPE_STREAM(SetMeta, sets, 16);
    GASPIPE_STREAM(WordLine, replica_lines, 64);
    GASPIPE_STREAM(Result, results, 16);
    GASPIPE_STREAM(Result, updates, 16);
    GASPIPE_STREAM(Entry, entries, 4);
    GASPIPE_STREAM(Entry, sent, 16);
    GASPIPE_STREAM(MemReq, reads, 16);
    GASPIPE_STREAM(WordLine, old_lines, 64);
    GASPIPE_STREAM(MemReq, writes, 16);
    GASPIPE_STREAM(WordLine, new_lines, 16);
    GASPIPE_STREAM(u32, acks, kPendingLines, kPendingLines);
    GASPIPE_STREAMS(FinalWord, beats, 4, 1);
    GASPIPE_TASK(for_all_prop_rdr_req(n, row_requests));
    GASPIPE_TASK(mem_rd_unit<EdgeCount>(row_memory.data(), 1, row_requests, row_lines, beats[0]));
    GASPIPE_TASK(for_all_prop_rdr<u32, throttle>(n, row_lines, replica_requests, sets));
    GASPIPE_TASK(mem_rd_unit<u32>(replica_memory.data(), 1, replica_requests, replica_lines, beats[1]));
    GASPIPE_TASK(nbr_prop_red<u32, AddUp>(7, 0, sets, replica_lines, results));
    GASPIPE_TASK(slow_down(results, updates, pause));
    GASPIPE_TASK(elem_update_coalesce<u32, Lines>(updates, entries));
    GASPIPE_TASK(elem_update_req<u32, Overwrite<u32>>(entries, acks, reads, sent));
    GASPIPE_TASK(mem_rd_unit<u32>(properties, 1, reads, old_lines, beats[2]));
    GASPIPE_TASK(elem_update<u32, Overwrite<u32>>(sent, old_lines, writes, new_lines));
    GASPIPE_TASK(mem_wr_unit<u32>(properties, 1, writes, new_lines, acks, beats[3]));
    GASPIPE_TASK(end_collect<4>(0, beats, words));
    GASPIPE_RUN;
  }
  if (ends != nullptr) *ends = as_values(status);
  std::vector<u32> values = as_values(property_memory);
  values.resize(rows.size());
  return values;
}
std::vector<u32> expected_sums(const Rows& rows, const std::vector<u32>& replicas) {
  std::vector<u32> values(rows.size(), 9);
  for (const SetMeta& set : rows.sets()) {
    values[set.owner] = 7;
    for (EdgeCount e = set.first; e < set.last; ++e) values[set.owner] += replicas[e];
  }
  return values;
}
std::vector<u32> some_values(std::size_t num) {
  std::vector<u32> values(num);
  for (std::size_t i = 0; i < num; ++i) values[i] = static_cast<u32>(i * 2654435761u);
  return values;
}

// GOP-27: one huge set among tiny ones passes at any depth; GOP-25: so it does before a sink that is slow, which holds
// up all that comes before it and overflows nothing; GOP-28: all ends come, each after its block's last beat.
TEST(Chain, GivesItsAnswerAtAnyDepthBeforeAnySink) {
  Random random(1);
  Degrees huge(300, 1);
  huge[150] = 20000;
  for (const Degrees& degrees : {Degrees{}, Degrees{0, 0}, edge_degrees(), huge, random_degrees(700, 30, random)}) {
    const Rows rows(degrees);
    const auto replicas = some_values(rows.num_edges());
    const auto expected = expected_sums(rows, replicas);
    at_all_depths([&] {
      for (u32 pause : {0u, 40u}) {
        std::vector<FinalWord> ends;
        EXPECT_EQ(sums_of_neighbors(rows, replicas, &ends, pause), expected);
        EXPECT_EQ(ends[0], kAllEnded);
        EXPECT_EQ(ends[1], 15u);
        EXPECT_EQ(ends[2], rows.size() == 0 ? 0 : rows.size() / 8 + 1);
        std::uint64_t lines = 0;
        for (const MemReq& request : requests_for<u32>(rows.sets())) lines += request.num;
        EXPECT_EQ(ends[3], lines);
      }
    });
  }
}
// GOP-24: the throttle spaces requests, and changes no answer.
TEST(Chain, GivesItsAnswerWithAnyThrottle) {
  Random random(2);
  const Rows rows(random_degrees(300, 20, random));
  const auto replicas = some_values(rows.num_edges());
  EXPECT_EQ(sums_of_neighbors<2>(rows, replicas, nullptr), expected_sums(rows, replicas));
  EXPECT_EQ(sums_of_neighbors<4>(rows, replicas, nullptr), expected_sums(rows, replicas));
}
// GOP-29: replies of memory come in another order between ports, tasks stall: the answer is the same.
TEST(Chain, GivesItsAnswerWhateverTheOrderOfReplies) {
  Random random(3);
  const Rows rows(random_degrees(150, 40, random));
  const auto replicas = some_values(rows.num_edges());
  const auto run = [&] { return sums_of_neighbors(rows, replicas, nullptr); };
  EXPECT_EQ(run(), expected_sums(rows, replicas));
  EXPECT_EQ(difference_in_any_order(run, 16), "");
}

}  // namespace
}  // namespace block
}  // namespace gaspipe
