// SPDX-License-Identifier: Apache-2.0
#include "hls/module/gather.h"

#include "hls/module/raw_solver.h"
#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::at_all_depths;
using testing::Random;

template <class H, int pes>
struct Case {
  using Hooks = H;
  static constexpr int kPes = pes;
};
template <class Case>
class Gather : public ::testing::Test {
 protected:
  using Hooks = typename Case::Hooks;
  using Value = typename Traits<Hooks>::Update;
  using Token = UpdateToken<Value>;
  Random random{18};
};
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Cases = ::testing::Types<Case<testing::Sum<u32>, 4>, Case<testing::Sum<u32>, 16>, Case<testing::Sum<u64>, 8>,
                               Case<testing::Min<u32>, 8>, Case<testing::Min<u64>, 4>, Case<testing::Min<u64>, 16>>;
TYPED_TEST_SUITE(Gather, Cases);

TYPED_TEST(Gather, AccumulatesItsVerticesAndSendsThoseInUseInOrder) {
  constexpr int pes = TypeParam::kPes;
  using H = typename TypeParam::Hooks;
  using V = typename Traits<H>::Update;
  using Updates = UpdateToken<V>;
  constexpr int per_row = Word<V>::kSize > pes ? Word<V>::kSize : pes;  // vertices of whole words and rows
  for (VertexId first : {0u, 16u, 1024u, 100000u}) {
    for (VertexId size : {1u, 7u, 16u, 17u, 500u, 1024u}) {
      const VertexId last = first + size;
      for (int pe : {0, 1, pes - 1}) {
        // Updates to the PE's vertices, and what they come to one after the other; the rest keeps the identity.
        std::vector<V> expected((size + per_row - 1) / per_row * (per_row / pes), Traits<H>::identity());
        std::vector<Updates> updates;
        for (int i = 0; i < 400; ++i) {
          const VertexId v = first + static_cast<VertexId>(this->random() % size);
          if (v % pes != VertexId(pe)) continue;
          updates.push_back({{v, static_cast<V>(this->random() >> 9)}, false});
          V& value = expected[(v - first) / pes];
          value = H::gatherFunc(value, updates.back().update.value);
        }
        updates.push_back({{kNoVertex, 0}, true});
        at_all_depths([&] {
          for (std::uint32_t pause : {0u, 2u}) {
            std::vector<V> values;
            {
              GASPIPE_DATAFLOW;
              GASPIPE_STREAM(Updates, raw, 4);
              GASPIPE_STREAM(Updates, in, 4);
              GASPIPE_STREAM(V, out, 2);
              GASPIPE_TASK(testing::feed(updates, raw, pause));
              GASPIPE_TASK(rawSolver<H>(raw, in));
              GASPIPE_TASK(dstPropertyProcess<H, pes, 1024>(pe, first, last, in, out));
              GASPIPE_TASK(testing::drain(out, expected.size(), values, pause));
              GASPIPE_RUN;
            }
            EXPECT_EQ(values, expected) << size << " vertices from " << first << ", PE " << pe;
          }
        });
      }
    }
  }
}

TYPED_TEST(Gather, EveryVertexHasOnePlaceInOnePe) {
  constexpr int pes = TypeParam::kPes;
  using H = typename TypeParam::Hooks;
  using V = typename Traits<H>::Update;
  const VertexId first = 48, last = 300;
  std::vector<std::vector<V>> values(pes);
  for (int pe = 0; pe < pes; ++pe) {
    stream<UpdateToken<V>> in;
    stream<V> out;
    for (VertexId v = first; v < last; ++v) {
      if (v % pes == VertexId(pe)) in.write({{v, static_cast<V>(v)}, false});
    }
    in.write({{0, 0}, true});
    dstPropertyProcess<H, pes, 1024>(pe, first, last, in, out);
    EXPECT_EQ(in.size(), 0u);
    EXPECT_EQ(out.size(), (values_per_pe<V, pes>(first, last)));
    testing::drain(out, out.size(), values[pe]);
  }
  for (VertexId v = first; v < last; ++v) {
    EXPECT_EQ(values[v % pes][(v - first) / pes], H::gatherFunc(Traits<H>::identity(), static_cast<V>(v)));
  }
}

struct Pair {
  std::uint16_t low = 3;
  std::int32_t high = 0;
};
TEST(Bits, KeepEveryValue) {
  EXPECT_EQ(to_bits(1.0f), 0x3f800000u);
  EXPECT_EQ(to_bits(-2.0), 0xc000000000000000u);
  EXPECT_EQ(to_bits(std::int32_t(-1)), 0xffffffffu);
  EXPECT_EQ(from_bits<float>(to_bits(0.1f)), 0.1f);
  EXPECT_EQ(from_bits<std::int64_t>(to_bits(std::int64_t(-7))), -7);
  Pair pair;
  pair.low = 9;
  pair.high = -4;
  const Pair got = from_bits<Pair>(to_bits(pair));
  EXPECT_EQ(got.low, 9u);
  EXPECT_EQ(got.high, -4);
}

}  // namespace
}  // namespace gaspipe
