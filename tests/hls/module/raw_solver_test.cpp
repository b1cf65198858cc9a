// SPDX-License-Identifier: Apache-2.0
#include "hls/module/raw_solver.h"

#include <map>

#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::at_all_depths;
using testing::Random;

template <class Hooks>
class RawSolverTest : public ::testing::Test {
 protected:
  using Value = typename Traits<Hooks>::Update;
  using Token = UpdateToken<Value>;
  using Updates = std::vector<std::pair<VertexId, Value>>;

  static Updates run(const Updates& updates, std::uint32_t pause = 0) {
    std::vector<Token> in_tokens, tokens;
    for (const auto& [destination, value] : updates) in_tokens.push_back({{destination, value}, false});
    in_tokens.push_back({{0, 0}, true});
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(Token, in, 4);
      GASPIPE_STREAM(Token, out, 4);
      GASPIPE_TASK(testing::feed(in_tokens, in, pause));
      GASPIPE_TASK(rawSolver<Hooks>(in, out));
      GASPIPE_TASK(testing::drain_to_end(out, tokens, pause));
      GASPIPE_RUN;
    }
    Updates left;
    for (const Token& token : tokens) left.push_back({token.update.destination, token.update.value});
    return left;
  }
  // Everything a vertex gets, merged one after the other from the identity on.
  static std::map<VertexId, Value> merged(const Updates& updates) {
    std::map<VertexId, Value> all;
    for (const auto& [destination, value] : updates) {
      const auto at = all.emplace(destination, Traits<Hooks>::identity()).first;
      at->second = Hooks::gatherFunc(at->second, value);
    }
    return all;
  }
  Updates random_updates(std::size_t num, VertexId vertices) {
    Updates updates(num);
    for (auto& [destination, value] : updates) {
      destination = static_cast<VertexId>(random() % vertices);
      value = static_cast<Value>(random() >> 8);
    }
    return updates;
  }
  Random random{17};
};
using Programs = ::testing::Types<testing::Sum<std::uint32_t>, testing::Sum<std::uint64_t>, testing::Min<std::uint32_t>,
                                  testing::Min<std::uint64_t>>;
TYPED_TEST_SUITE(RawSolverTest, Programs);

TYPED_TEST(RawSolverTest, MergesUpdatesToOneVertexInsideTheWindow) {
  for (VertexId distance = 1; distance <= 4; ++distance) {
    // 0 1 .. distance-1, 0 again, and others.
    typename TestFixture::Updates updates, expected;
    for (VertexId v = 0; v < distance; ++v) updates.push_back({v, 10 + v});
    updates.push_back({0, 7});
    for (VertexId v = 100; v < 110; ++v) updates.push_back({v, v});
    expected = updates;
    expected.erase(expected.begin() + distance);
    expected[0].second = TypeParam::updateMergeInRAWSolver(10, 7);
    at_all_depths([&] { EXPECT_EQ(this->run(updates), expected) << "distance " << distance; });
  }
}

TYPED_TEST(RawSolverTest, LetsPassWhatIsFarEnoughApart) {
  typename TestFixture::Updates updates;
  for (VertexId i = 0; i < 100; ++i) updates.push_back({i % 5, i + 1});
  EXPECT_EQ(this->run(updates), updates);
}

TYPED_TEST(RawSolverTest, KeepsUpdatesOfAVertexApartAndLosesNothing) {
  for (VertexId vertices : {1u, 2u, 4u, 5u, 6u, 8u, 20u, 1000u}) {
    const auto updates = this->random_updates(3000, vertices);
    at_all_depths([&] {
      for (std::uint32_t pause : {0u, 3u}) {
        const auto left = this->run(updates, pause);
        std::map<VertexId, std::size_t> last;
        for (std::size_t i = 0; i < left.size(); ++i) {
          const auto before = last.find(left[i].first);
          if (before != last.end()) {
            EXPECT_GT(i - before->second, 4u);
          }
          last[left[i].first] = i;
        }
        EXPECT_EQ(this->merged(left), this->merged(updates)) << vertices << " vertices";
      }
    });
  }
}

TYPED_TEST(RawSolverTest, FlushesTheOldestFirst) {
  const typename TestFixture::Updates two = {{9, 1}, {3, 2}}, none;
  EXPECT_EQ(this->run(two), two);
  EXPECT_EQ(this->run(none), none);
}

TYPED_TEST(RawSolverTest, StepAndFlushGiveWhatTheStreamGives) {
  const auto updates = this->random_updates(5000, 9);
  typename TestFixture::Updates left;
  Update<typename TypeParam::Property> out;
  struct {
    RawSolver<TypeParam> window;
    Update<typename TypeParam::Property> behind[4];
  } guarded;
  for (VertexId i = 0; i < 4; ++i) guarded.behind[i] = {77 + i, 5};
  RawSolver<TypeParam>& window = guarded.window;
  window.start();
  for (const auto& [destination, value] : updates) {
    if (window.step({destination, value}, out)) left.push_back({out.destination, out.value});
  }
  for (int i = 0; i < kRawWindow; ++i) {
    if (window.flush(out)) left.push_back({out.destination, out.value});
  }
  EXPECT_FALSE(window.flush(out));
  EXPECT_EQ(left, this->run(updates));
  for (VertexId i = 0; i < 4; ++i) EXPECT_EQ(guarded.behind[i].destination, 77 + i);
}

TYPED_TEST(RawSolverTest, TakesACyclePerUpdate) {
  this->run(this->random_updates(5000, 100000));
  EXPECT_LE(emulator::Engine::last_cycles(), 5010u);
}

}  // namespace
}  // namespace gaspipe
