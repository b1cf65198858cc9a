// SPDX-License-Identifier: Apache-2.0
#include "hls/module/collect.h"

#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::at_all_depths;
using testing::Random;

template <class V, int pes>
struct Case {
  using Value = V;
  static constexpr int kPes = pes;
};
template <class Case>
class Collect : public ::testing::Test {
 protected:
  Random random{19};
};
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Cases = ::testing::Types<Case<u32, 4>, Case<u32, 8>, Case<u32, 16>, Case<u64, 4>, Case<u64, 8>, Case<u64, 16>>;
TYPED_TEST_SUITE(Collect, Cases);

TYPED_TEST(Collect, InterleavesThePesIntoTheWordsInUse) {
  constexpr int pes = TypeParam::kPes;
  using T = typename TypeParam::Value;
  using Token = WordToken<T>;
  constexpr VertexId size_of_word = 64 / sizeof(T);
  for (VertexId first : {0u, 16u, 4096u}) {
    for (VertexId size : {1u, 7u, 8u, 9u, 16u, 17u, 24u, 100u, 1000u}) {
      const VertexId last = first + size;
      // What every vertex of the words has, and past the last vertex what the PEs send there.
      std::vector<T> values((size + 15) / 16 * 16);
      for (T& value : values) value = static_cast<T>(this->random());
      std::vector<T> parts[pes];
      const std::uint32_t each = values_per_pe<T, pes>(first, last);
      ASSERT_LE(each * pes, values.size());
      ASSERT_GE(each * pes, size);
      for (std::uint32_t i = 0; i < each * pes; ++i) parts[(first + i) % pes].push_back(values[i]);
      at_all_depths([&] {
        std::vector<Token> tokens;
        {
          GASPIPE_DATAFLOW;
          GASPIPE_STREAMS(T, in, pes, 2);
          GASPIPE_STREAM(Token, out, 2);
          for (int pe = 0; pe < pes; ++pe) {
            GASPIPE_PRAGMA(HLS UNROLL);
            GASPIPE_TASK_I(pe, testing::feed(parts[pe], in[pe], static_cast<std::uint32_t>(pe % 3)));
          }
          GASPIPE_TASK(collect(first, last, in, out));
          GASPIPE_TASK(testing::drain_to_end(out, tokens, 1));
          GASPIPE_RUN;
        }
        ASSERT_EQ(tokens.size(), (size + size_of_word - 1) / size_of_word);
        for (std::size_t w = 0; w < tokens.size(); ++w) {
          for (VertexId l = 0; l < size_of_word; ++l) {
            EXPECT_EQ(tokens[w].word.lane[l], values[w * size_of_word + l]) << "word " << w << " lane " << l;
          }
        }
      });
    }
  }
}

}  // namespace
}  // namespace gaspipe
