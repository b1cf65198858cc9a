// SPDX-License-Identifier: Apache-2.0
// The six steps of a PE, each alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hls/emulator/memory.h"
#include "hls/local_store/commit.h"
#include "hls/local_store/dispatch.h"
#include "hls/local_store/exchange.h"
#include "hls/local_store/fetch.h"
#include "hls/local_store/gather.h"
#include "hls/local_store/mark.h"
#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using Line = Word<std::uint64_t>;
using Lines = std::vector<Line>;
using testing::Random;

TEST(ListCodes, HoldTheirFieldsAndEscapeLongLists) {
  for (const std::uint32_t index : {0u, 1u, kMostOwned - 1}) {
    for (const std::uint32_t words : {0u, 1u, 254u, 255u, 256u, 1u << 30}) {
      for (const std::uint32_t place : {0u, 63u, ~0u}) {
        const ListCode code = make_list_code(index, words, place);
        EXPECT_EQ(code_index(code), index);
        EXPECT_EQ(code_words(code), std::min(words, kEscapedWords));
        EXPECT_EQ(code_place(code), place);
      }
    }
  }
  ListHeader header = {{1, 2, 3, 4, 5, 6, 7, ~0u}, ~1u, 99};
  const ListHeader read = list_header(to_word(header));
  EXPECT_TRUE(std::equal(header.end, header.end + kMostPes, read.end));
  EXPECT_EQ(read.vertex, header.vertex);
  EXPECT_EQ(read.num_words, 99u);
}

// The codes of a queue, with `num` of them behind `first` words of others.
std::vector<ListCode> fetched(std::uint32_t first, std::uint32_t num) {
  const std::uint32_t turn = num % 2;
  Lines queue(first + num / kEntriesPerWord + 1), marks;
  Line* const state = queue.data() + 3 * turn;
  state[0].lane[ControlLane::kFirstWord] = first;
  state[0].lane[ControlLane::kNumEntries] = num;
  state[1].lane[3] = 7;
  state[2].lane[5] = 9;
  for (std::uint32_t i = 0; i < num; ++i) queue[first + i / 4].lane[2 * (i % 4)] = 100 + i;
  std::vector<FetchedCodes> tokens;
  std::vector<std::uint32_t> next;
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(Line, marks_out, 1);
    GASPIPE_STREAM(std::uint32_t, next_first, 1);
    GASPIPE_STREAM(FetchedCodes, out, 1);
    GASPIPE_TASK(fetchQueue(3, turn, queue.data(), marks_out, next_first, out));
    GASPIPE_TASK(testing::drain(marks_out, 2, marks));
    GASPIPE_TASK(testing::drain(next_first, 1, next));
    GASPIPE_TASK(testing::drain_to_end(out, tokens));
    GASPIPE_RUN;
  }
  EXPECT_EQ(marks[0].lane[3], 7u);
  EXPECT_EQ(marks[1].lane[5], 9u);
  EXPECT_EQ(next[0], first + (num + 3) / 4);
  std::vector<ListCode> codes;
  for (const FetchedCodes& token : tokens) codes.insert(codes.end(), token.code, token.code + token.num);
  return codes;
}

TEST(FetchQueue, SendsTheLevelsCodesAndNoOthers) {
  for (const std::uint32_t num : {0u, 1u, 3u, 4u, 5u, 17u}) {
    for (const std::uint32_t first : {6u, 11u}) {
      const std::vector<ListCode> codes = fetched(first, num);
      ASSERT_EQ(codes.size(), num);
      for (std::uint32_t i = 0; i < num; ++i) EXPECT_EQ(codes[i], 100 + i);
    }
  }
}

using Descriptors = std::vector<ListDescriptor>;
// In the order in which the engines read them.
Descriptors planned(const std::vector<ListCode>& codes) {
  std::vector<FetchedCodes> tokens;
  for (std::size_t i = 0; i < codes.size();) {
    FetchedCodes token = {};
    while (i < codes.size() && token.num < kEntriesPerWord) token.code[token.num++] = codes[i++];
    tokens.push_back(token);
  }
  tokens.push_back({{}, 0, true});
  Descriptors by_engine[2], all;
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(FetchedCodes, in, 1);
    GASPIPE_STREAM(FetchedCode, single, 1);
    GASPIPE_STREAM(ListPiece, pieces, 1);
    GASPIPE_STREAM(ListDescriptor, even, 1000);
    GASPIPE_STREAM(ListDescriptor, odd, 1000);
    GASPIPE_TASK(testing::feed(tokens, in));
    GASPIPE_TASK(spreadCodes(in, single));
    GASPIPE_TASK(cutLists(single, pieces));
    GASPIPE_TASK(planLists(pieces, even, odd));
    GASPIPE_TASK(testing::drain_to_end(even, by_engine[0]));
    GASPIPE_TASK(testing::drain_to_end(odd, by_engine[1]));
    GASPIPE_RUN;
  }
  EXPECT_LE(by_engine[1].size(), by_engine[0].size());
  EXPECT_LE(by_engine[0].size(), by_engine[1].size() + 1);
  for (std::size_t i = 0; i < by_engine[0].size() + by_engine[1].size(); ++i) all.push_back(by_engine[i % 2][i / 2]);
  return all;
}

TEST(PlanLists, JoinsListsThatFollowEachOther) {
  const Descriptors joined = planned({make_list_code(0, 3, 10), make_list_code(1, 0, 0), make_list_code(2, 5, 13)});
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_EQ(joined[0].first, 10u);
  EXPECT_EQ(joined[0].num, 8u);
  EXPECT_EQ(planned({make_list_code(0, 3, 10), make_list_code(2, 5, 14)}).size(), 2u);
  EXPECT_EQ(planned({make_list_code(0, 3, 10), make_list_code(2, 5, 5)}).size(), 2u);
  EXPECT_EQ(planned({make_list_code(0, 4, 60), make_list_code(2, 5, 64)}).size(), 2u);  // a page ends between them
  EXPECT_TRUE(planned({}).empty());
  EXPECT_TRUE(planned({make_list_code(0, 0, 0)}).empty());
}

// At most a page, in one page; each word once, in order.
TEST(PlanLists, CutsAtPages) {
  Random random(3);
  std::vector<ListCode> codes;
  std::vector<std::uint32_t> wanted, found;
  std::uint32_t place = 0;
  for (int i = 0; i < 150; ++i) {
    const std::uint32_t words = random() % 4 == 0 ? random() % 255 : random() % 6;
    if (random() % 2 == 0) place = random() % 10'000;
    codes.push_back(make_list_code(0, words, place));
    for (std::uint32_t k = 0; k < words; ++k) wanted.push_back(place++);
  }
  for (const ListDescriptor& descriptor : planned(codes)) {
    EXPECT_FALSE(descriptor.is_escaped);
    EXPECT_GE(descriptor.num, 1u);
    EXPECT_LE(descriptor.first % kBurstWords + descriptor.num, kBurstWords);
    for (std::uint32_t k = 0; k < descriptor.num; ++k) found.push_back(descriptor.first + k);
  }
  EXPECT_EQ(found, wanted);
}

TEST(PlanLists, LeavesTheLengthOfLongListsToTheEngine) {
  const Descriptors all = planned(
      {make_list_code(0, 2, 8), make_list_code(1, 700, 10), make_list_code(2, 1, 710), make_list_code(3, 1, 711)});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all[1].is_escaped);
  EXPECT_EQ(all[1].first, 10u);
  EXPECT_EQ(all[2].first, 710u);
  EXPECT_EQ(all[2].num, 2u);
}

TEST(LoadLists, ReadsDescriptorsAndEscapedListsWhole) {
  Lines lists(400);
  for (std::uint32_t i = 0; i < lists.size(); ++i) lists[i].lane[0] = i;
  lists[20] = to_word({{}, 0, 300});
  const Descriptors descriptors = {
      {3, 2, false, false}, {20, kEscapedWords, true, false}, {330, 1, false, false}, {0, 0, false, true}};
  std::vector<ListWord> words;
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(ListDescriptor, in, 1);
    GASPIPE_STREAM(ListWord, out, 1);
    GASPIPE_TASK(testing::feed(descriptors, in));
    GASPIPE_TASK(loadLists(lists.data(), in, out));
    GASPIPE_TASK(testing::drain(out, 2 + 300 + 1 + 1, words));
    GASPIPE_RUN;
  }
  std::vector<std::uint64_t> ends;
  for (std::uint64_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(words[i].done, i == 303);
    if (words[i].end && !words[i].done) ends.push_back(i);
  }
  EXPECT_EQ(ends, (std::vector<std::uint64_t>{1, 301, 302}));
  EXPECT_EQ(words[1].word.lane[0], 4u);
  EXPECT_EQ(words[3].word.lane[0], 21u);
  EXPECT_EQ(words[301].word.lane[0], 319u);
  EXPECT_EQ(words[302].word.lane[0], 330u);
}

// A list's words; its codes are their numbers, `counts` for each owner.
Lines list_of(VertexId vertex, const std::vector<std::uint32_t>& counts) {
  ListHeader header = {};
  std::uint32_t sum = 0;
  for (int s = 0; s < kMostPes; ++s) header.end[s] = sum += s < int(counts.size()) ? counts[s] : 0;
  header.vertex = vertex;
  header.num_words = 1 + (sum + 7) / 8;
  Lines list(header.num_words);
  list[0] = to_word(header);
  for (std::uint32_t i = 0; i < sum; ++i) list[1 + i / 8].lane[i % 8] = i;
  return list;
}

std::vector<std::vector<CodeMessage>> dispatched(const std::vector<Lines>& descriptors, std::size_t num_to_0,
                                                 std::size_t num_to_1) {
  std::vector<ListWord> even, odd;
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    for (const Line& line : descriptors[i]) {
      (i % 2 == 0 ? even : odd).push_back({line, &line == &descriptors[i].back(), false});
    }
  }
  even.push_back({{}, true, true});
  odd.push_back({{}, true, true});
  std::vector<std::vector<CodeMessage>> messages(2);
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(ListWord, even_words, 1);
    GASPIPE_STREAM(ListWord, odd_words, 1);
    GASPIPE_STREAM(OwnedCode, owned, 1);
    GASPIPE_STREAM(CodeMessage, to_0, 1);
    GASPIPE_STREAM(CodeMessage, to_1, 1);
    GASPIPE_TASK(testing::feed(even, even_words));
    GASPIPE_TASK(testing::feed(odd, odd_words));
    GASPIPE_TASK(unpackLists(even_words, odd_words, owned));
    GASPIPE_TASK(dispatchLists(owned, to_0, to_1));
    GASPIPE_TASK(testing::drain(to_0, num_to_0, messages[0]));
    GASPIPE_TASK(testing::drain(to_1, num_to_1, messages[1]));
    GASPIPE_RUN;
  }
  return messages;
}

TEST(DispatchLists, SendsToOwnersByTheHeaderAndASentinelAtTheEnd) {
  Lines two = list_of(7, {0, 2});
  const Lines behind = list_of(8, {3, 0});
  two.insert(two.end(), behind.begin(), behind.end());  // one descriptor
  const auto messages = dispatched({list_of(6, {3, 9}), two, list_of(9, {1, 0})}, 3 + 3 + 1 + 1, 9 + 2 + 1);
  const auto parents = [](const std::vector<CodeMessage>& from) {
    std::vector<VertexId> found;
    for (const CodeMessage& message : from) {
      if (!message.end) found.push_back(message.parent);
    }
    return found;
  };
  EXPECT_EQ(parents(messages[0]), (std::vector<VertexId>{6, 6, 6, 8, 8, 8, 9}));
  EXPECT_EQ(parents(messages[1]), (std::vector<VertexId>{6, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7}));
  EXPECT_EQ(messages[1][0].code, 3u);
  for (const auto& to : messages) EXPECT_TRUE(to.back().end && to.back().last);
}

TEST(DispatchLists, EndsAPeriodWhereAStreamHasAllItMayGet) {
  const auto messages = dispatched({list_of(6, {0, 2 * kPeriodCodes})}, 3, 2 * kPeriodCodes + 3);
  for (std::size_t i = 0; i < messages[1].size(); ++i) {
    const bool ends = i == kPeriodCodes || i == 2 * kPeriodTokens - 1 || i == 2 * kPeriodTokens;
    EXPECT_EQ(messages[1][i].end, ends) << i;
    EXPECT_EQ(messages[1][i].last, i == 2 * kPeriodTokens) << i;
  }
  for (const CodeMessage& message : messages[0]) EXPECT_TRUE(message.end);
  EXPECT_EQ(dispatched({}, 1, 1)[0].size(), 1u);
}

TEST(ExchangeCodes, TakesPeriodsOfAllSendersInTurn) {
  const CodeMessage end = {0, 0, true, false}, last = {0, 0, true, true};
  const auto code = [](ListCode c) { return CodeMessage{c, 0, false, false}; };
  const std::vector<CodeMessage> a = {code(1), end, code(2), code(3), end, last}, b = {code(11), code(12), last};
  std::vector<CodeMessage> all;
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(CodeMessage, from_a, 1);
    GASPIPE_STREAM(CodeMessage, from_b, 1);
    GASPIPE_STREAM(CodeMessage, out, 1);
    GASPIPE_TASK(testing::feed(a, from_a));
    GASPIPE_TASK(testing::feed(b, from_b));
    GASPIPE_TASK(exchangeCodes(out, from_a, from_b));
    GASPIPE_TASK(testing::drain_to_end(out, all));
    GASPIPE_RUN;
  }
  std::vector<ListCode> codes;
  for (const CodeMessage& message : all) codes.push_back(message.code);
  EXPECT_EQ(codes, (std::vector<ListCode>{1, 11, 12, 2, 3}));
}

// Of a memory whose reads miss the last `late` writes: how many of the marks are wrong.
int wrong_marks(std::size_t late) {
  Random random(5);
  std::vector<std::uint64_t> memory(4, 0);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> under_way;
  std::set<std::uint32_t> marked;
  RowWindow rows;
  MarkWindow window;
  rows.start();
  window.start();
  int wrong = 0;
  for (int i = 0; i < 4000; ++i) {
    if (i % 400 == 0) {  // begins again, with nothing under way
      std::fill(memory.begin(), memory.end(), 0);
      under_way.clear();
      marked.clear();
      rows.start();
      window.start();
    }
    const std::uint32_t index = random() % 256, row = index / kMarksPerRow;
    std::uint64_t written;
    const bool is_new = window.mark(rows.take(row), index % kMarksPerRow, memory[row], written);
    wrong += is_new != marked.insert(index).second;
    under_way.emplace_back(row, written);
    if (under_way.size() <= late) continue;
    memory[under_way.front().first] = under_way.front().second;
    under_way.erase(under_way.begin());
  }
  return wrong;
}

// The hazard of a pipeline: reads overtake the writes of so many iterations before.
TEST(MarkWindow, StandsForWritesThatReadsOvertake) {
  EXPECT_EQ(wrong_marks(0), 0);
  EXPECT_EQ(wrong_marks(kMarkWindow), 0);
  EXPECT_GT(wrong_marks(kMarkWindow + 1), 0);
}

TEST(MarkCodes, LetsEachVertexPassOnceAndKeepsTheBitmap) {
  Random random(6);
  Lines before(2), after;
  before[1].lane[0] = 1;  // vertex 512
  std::vector<CodeMessage> in;
  std::vector<MarkedCode> found;
  std::vector<ListCode> wanted;
  std::set<std::uint32_t> seen = {512};
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t index = i < 64 ? 77 : random() % (i % 3 == 0 ? 1024 : 8);
    in.push_back({make_list_code(index, 0, i), 0, false, false});
    if (seen.insert(index).second) wanted.push_back(in.back().code);
  }
  in.push_back({0, 0, true, true});
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(Line, marks_in, 1);
    GASPIPE_STREAM(CodeMessage, codes, 1);
    GASPIPE_STREAM(MarkRequest, requests, 1);
    GASPIPE_STREAM(MarkedCode, out, 1);
    GASPIPE_STREAM(Line, marks_out, 1);
    GASPIPE_TASK(testing::feed(before, marks_in));
    GASPIPE_TASK(testing::feed(in, codes));
    GASPIPE_TASK(watchRows(codes, requests));
    GASPIPE_TASK(markCodes<4096>(3, marks_in, requests, out, marks_out));
    GASPIPE_TASK(testing::drain_to_end(out, found));
    GASPIPE_TASK(testing::drain(marks_out, 2, after));
    GASPIPE_RUN;
  }
  std::vector<ListCode> codes;
  EXPECT_EQ(found.size(), in.size() - 1);
  for (const MarkedCode& code : found) {
    if (code.is_new) codes.push_back(code.code);
  }
  EXPECT_EQ(codes, wanted);
  for (std::uint32_t v = 0; v < 1024; ++v) {
    EXPECT_EQ(after[v / 512].lane[v % 512 / 64] >> (v % 64) & 1, seen.count(v)) << v;
  }
}

TEST(CommitCodes, StoresEntriesBehindTheQueueAndTheState) {
  for (const std::uint32_t num : {0u, 1u, 4u, 255u, 256u, 257u, 515u}) {
    std::vector<MarkedCode> in;
    for (std::uint32_t i = 0; i < num; ++i) {
      if (i % 3 == 0) in.push_back({9, 9, false, false});
      in.push_back({make_list_code(500 + i, i, 7), i, true, false});
    }
    in.push_back({0, 0, false, true});
    Lines queue(200), marks(2);
    const std::uint32_t level = 4 + num % 2;
    const Line* const state = queue.data() + 3 * (1 - level % 2);
    marks[1].lane[2] = 6;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(MarkedCode, found, 1);
      GASPIPE_STREAM(WordToken<std::uint64_t>, entries, 1);
      GASPIPE_STREAM(std::uint32_t, next_first, 1);
      GASPIPE_STREAM(Line, marks_out, 1);
      GASPIPE_TASK(testing::feed(in, found));
      GASPIPE_TASK(testing::feed(std::vector<std::uint32_t>{9}, next_first));
      GASPIPE_TASK(testing::feed(marks, marks_out));
      GASPIPE_TASK(packCodes(level, found, entries));
      GASPIPE_TASK(commitCodes(3, level, next_first, entries, marks_out, queue.data()));
      GASPIPE_RUN;
    }
    std::uint64_t words = 0;
    for (std::uint32_t i = 0; i < num; ++i) {
      EXPECT_EQ(queue[9 + i / 4].lane[2 * (i % 4)], make_list_code(500 + i, i, 7));
      EXPECT_EQ(queue[9 + i / 4].lane[2 * (i % 4) + 1], std::uint64_t(level + 1) << 32 | i);
      words += i < 255 ? i : 1024;
    }
    EXPECT_EQ(queue[8].lane[0], 0u);
    EXPECT_EQ(queue[9 + (num + 3) / 4].lane[0], 0u);
    EXPECT_EQ(state[0].lane[ControlLane::kFirstWord], 9u);
    EXPECT_EQ(state[0].lane[ControlLane::kNumEntries], num);
    EXPECT_EQ(state[0].lane[ControlLane::kListWords], words);
    EXPECT_EQ(state[2].lane[2], 6u);
  }
}

}  // namespace
}  // namespace gaspipe
