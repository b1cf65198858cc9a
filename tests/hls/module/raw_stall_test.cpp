// SPDX-License-Identifier: Apache-2.0
#include "hls/module/raw_stall.h"

#include <deque>
#include <map>
#include <vector>

#include "hls/module/gather.h"
#include "hls/module/row_gather.h"
#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::at_all_depths;
using testing::Random;

template <class Number, bool is_idempotent, int distance>
struct Slow : testing::Sum<Number> {
  static constexpr bool kIdempotent = is_idempotent;
  static constexpr int kApart = distance;  // 3 cycles to read, 7, 8 or 2 to merge, 1 to write
};
using Programs = ::testing::Types<Slow<float, false, 11>, Slow<double, false, 12>, Slow<float, true, 6>>;

struct Token {
  std::uint32_t place;  // kNoVertex: none
  std::uint32_t number;
  bool mark;
  bool operator==(const Token& other) const {
    return place == other.place && number == other.number && mark == other.mark;
  }
};
// Every token leaves as early as its place allows; what lets time pass in between is no token of the input.
std::vector<Token> held_back(const std::vector<Token>& tokens, int apart) {
  std::vector<Token> left;
  std::map<std::uint32_t, int> last;
  for (const Token& token : tokens) {
    if (token.place != kNoVertex) {
      const auto before = last.find(token.place);
      while (before != last.end() && int(left.size()) < before->second + apart) left.push_back({kNoVertex, 0, false});
      last[token.place] = int(left.size());
    }
    left.push_back(token);
  }
  return left;
}
std::vector<Token> random_tokens(Random& random, std::size_t num, std::uint32_t places, bool marked) {
  std::vector<Token> tokens;
  for (std::uint32_t i = 0; i < num; ++i) {
    Token token = {std::uint32_t(random() % places), i + 1, marked && random() % 4 == 0};
    if (token.mark && random() % 2 == 0) token = {kNoVertex, 0, true};
    tokens.push_back(token);
  }
  return tokens;
}

template <class Hooks>
class RawStallTest : public ::testing::Test {
 protected:
  using Value = typename Traits<Hooks>::Update;
  Random random{31};
};
TYPED_TEST_SUITE(RawStallTest, Programs);

TYPED_TEST(RawStallTest, SendsUpdatesOfAVertexInOrderAsSoonAsItMay) {
  using Value = typename TestFixture::Value;
  using Single = UpdateToken<Value>;
  for (const std::uint32_t places : {1u, 2u, 7u, 40u, 5000u}) {
    const std::vector<Token> tokens = random_tokens(this->random, 2000, places, false);
    const std::vector<Token> expected = held_back(tokens, TypeParam::kApart);
    std::vector<Single> in_tokens, found;
    for (const Token& token : tokens) in_tokens.push_back({{token.place, Value(token.number)}, false});
    in_tokens.push_back({{0, 0}, true});
    at_all_depths([&] {
      for (const std::uint32_t pause : {0u, 3u}) {
        testing::Statistics statistics;
        found.clear();
        {
          GASPIPE_DATAFLOW;
          GASPIPE_STREAM(Single, in, 4);
          GASPIPE_STREAM(Single, out, 4);
          GASPIPE_TASK(testing::feed(in_tokens, in, pause));
          GASPIPE_TASK(rawSolver<TypeParam>(in, out));
          GASPIPE_TASK(testing::drain_to_end(out, found, pause));
          GASPIPE_RUN;
        }
        EXPECT_EQ(statistics.busy("rawSolver"), expected.size() + 1);  // a token a cycle, and the end
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
          ASSERT_EQ(found[i].update.destination, expected[i].place) << i;
          if (expected[i].place != kNoVertex) {
            ASSERT_EQ(found[i].update.value, Value(expected[i].number)) << i;
          }
        }
      }
    });
  }
}

// The gather behind it has the sums of all updates, though what it writes is read as much later as hardware takes.
TYPED_TEST(RawStallTest, LosesNothingWhereAMergeTakesItsTime) {
  using Hooks = TypeParam;
  const int cycles = kMemoryRead + merge_cycles<Hooks>() + kMemoryWrite;
  const auto lost = [&](int apart, std::uint32_t places) {
    std::map<std::uint32_t, int> memory;
    std::deque<std::pair<int, std::pair<std::uint32_t, int>>> under_way;
    const std::vector<Token> left = held_back(random_tokens(this->random, 3000, places, false), apart);
    for (int now = 0; now < int(left.size()) + cycles; ++now) {
      while (!under_way.empty() && under_way.front().first <= now) {
        memory[under_way.front().second.first] = under_way.front().second.second;
        under_way.pop_front();
      }
      if (now >= int(left.size()) || left[std::size_t(now)].place == kNoVertex) continue;
      const std::uint32_t place = left[std::size_t(now)].place;
      under_way.push_back({now + cycles, {place, memory[place] + 1}});
    }
    int sum = 0;
    for (const auto& [place, number] : memory) sum += number;
    return 3000 - sum;
  };
  for (const std::uint32_t places : {1u, 3u, 50u}) {
    EXPECT_EQ(lost(update_distance<Hooks>(), places), 0);
    EXPECT_GT(lost(update_distance<Hooks>() - 1, places), 0);
  }
}

template <class Hooks, int pes>
void check_rows(Random& random, std::uint32_t places) {
  using Value = typename Traits<Hooks>::Update;
  using Single = MarkedUpdate<Value>;
  using Solved = MarkedRow<Value>;
  constexpr std::uint32_t kSize = 8 / sizeof(Value);
  std::vector<Single> updates;
  std::vector<Token> expected, of_rows;  // an end is a mark without place and a number
  for (const std::uint32_t size : {600u, 0u, 1u, 50u}) {
    std::vector<Token> tokens = random_tokens(random, size, places, true);
    for (Token& token : tokens) {
      const bool none = token.place == kNoVertex;
      updates.push_back({{none ? kNoVertex : token.place * pes + pes - 1, Value(token.number)}, token.mark, false});
      if (!none) token.place /= kSize;
    }
    updates.push_back({{size + 3, 0}, false, true});
    of_rows = held_back(tokens, Hooks::kApart);
    expected.insert(expected.end(), of_rows.begin(), of_rows.end());
    expected.push_back({kNoVertex, size + 3, true});
  }
  at_all_depths([&] {
    std::vector<Solved> found;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(Single, in, 2);
      GASPIPE_STREAM(Solved, out, 2);
      GASPIPE_TASK(testing::feed(updates, in));
      GASPIPE_TASK(rawSolver<Hooks, pes>(4, in, out));
      GASPIPE_TASK(testing::drain(out, expected.size(), found));
      GASPIPE_RUN;
    }
    std::size_t next = 0;  // of the updates
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Token& token = expected[i];
      if (token.place == kNoVertex && token.mark && token.number != 0) {
        ASSERT_TRUE(found[i].update.end) << i;
        ASSERT_EQ(found[i].update.row, token.number);
        ASSERT_TRUE(updates[next++].end);
        continue;
      }
      ASSERT_FALSE(found[i].update.end) << i;
      ASSERT_EQ(found[i].mark, token.mark) << i;
      ASSERT_EQ(found[i].update.row, token.place) << i;
      if (token.place == kNoVertex) {
        ASSERT_EQ(found[i].update.valid, 0) << i;
        next += token.mark;
        continue;
      }
      const std::uint32_t lane = updates[next++].update.destination / pes % kSize;
      ASSERT_EQ(found[i].update.valid, 1u << lane) << i;
      ASSERT_EQ(found[i].update.word.lane[lane], Value(token.number)) << i;
    }
    EXPECT_EQ(next, updates.size());
  });
}
TYPED_TEST(RawStallTest, KeepsRowsApartAndPassesMarksOn) {
  for (const std::uint32_t places : {1u, 2u, 9u, 3000u}) {
    check_rows<TypeParam, 1>(this->random, places);
    check_rows<TypeParam, 16>(this->random, places);
  }
}

}  // namespace
}  // namespace gaspipe
