// SPDX-License-Identifier: Apache-2.0
#include "hls/module/apply.h"

#include <cstring>
#include <type_traits>

#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::as_values;
using testing::as_words;
using testing::at_all_depths;
using testing::Random;

// Three inputs, floating extras, an argument of its own, and every width as given.
template <class P, class U, class A>
struct Wide {
  using Property = P;
  using Update = U;
  using Aux = A;
  using Extra = double;
  struct Arg {
    std::uint32_t factor, term;
  };
  static constexpr int kAux = 3;
  static constexpr int kExtras = 11;  // more than a word of sums
  static Property applyFunc(Update tProp, Property source, const Aux (&aux)[kAux], Extra (&extra)[kExtras], Arg arg) {
    for (int k = 0; k < kExtras; ++k) extra[k] += 1.0 / static_cast<double>(1 + tProp % (7 + unsigned(k)));
    return static_cast<Property>(tProp * arg.factor + source + arg.term + aux[0] - 2 * aux[1] + 3 * aux[2]);
  }
};

template <class Arg>
Arg an_argument() {
  return Arg(5);
}
template <>
Wide<std::uint32_t, std::uint32_t, std::uint32_t>::Arg an_argument() {
  return {3, 4};
}
template <>
Wide<std::uint64_t, std::uint32_t, std::uint32_t>::Arg an_argument() {
  return {3, 4};
}
template <>
Wide<std::uint32_t, std::uint64_t, std::uint32_t>::Arg an_argument() {
  return {3, 4};
}
template <>
Wide<std::uint32_t, std::uint32_t, std::uint64_t>::Arg an_argument() {
  return {3, 4};
}

template <class Hooks>
class Apply : public ::testing::Test {
 protected:
  using Property = typename Hooks::Property;
  using Value = typename Traits<Hooks>::Update;
  using Aux = typename Traits<Hooks>::Aux;
  using Sum = typename Traits<Hooks>::Sum;
  static constexpr int kAux = Traits<Hooks>::kAux, kAuxSlots = Traits<Hooks>::kAuxSlots;

  struct Vertices {
    std::vector<Value> gathered;
    std::vector<Property> properties;
    std::vector<Aux> inputs[kAuxSlots];
  };
  struct Answer {
    std::vector<Property> properties;
    std::vector<Sum> sums;
    ActivityWord activity;
  };

  Vertices random_vertices(std::size_t num) {
    Vertices all;
    for (std::size_t v = 0; v < num; ++v) {
      all.gathered.push_back(static_cast<Value>(random() >> 5));
      all.properties.push_back(static_cast<Property>(random() >> 5));
      for (auto& input : all.inputs) input.push_back(static_cast<Aux>(random() >> 5));
    }
    return all;
  }
  // The last words are filled up with numbers that would show, if they were applied.
  static Answer run(const Vertices& all, std::uint32_t pause) {
    const std::uint32_t num = static_cast<std::uint32_t>(all.gathered.size());
    const auto gathered = as_words(all.gathered, Value(123));
    const auto properties = as_words(all.properties, Property(456));
    std::vector<Word<Aux>> inputs[kAuxSlots];
    for (int k = 0; k < kAuxSlots; ++k) inputs[k] = as_words(all.inputs[k], Aux(789));
    const auto arg = an_argument<typename Traits<Hooks>::Arg>();
    std::vector<Word<Property>> words;
    std::vector<ResultWord> results;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(Word<Value>, a, 2);
      GASPIPE_STREAM(Word<Property>, b, 2);
      GASPIPE_STREAMS(Word<Aux>, c, kAuxSlots, 2);
      GASPIPE_STREAM(Word<Property>, out, 2);
      GASPIPE_STREAM(ResultWord, counts, 2);
      GASPIPE_TASK(testing::feed(gathered, a, pause));
      GASPIPE_TASK(testing::feed(properties, b));
      if constexpr (kAux > 0) {
        for (int k = 0; k < kAux; ++k) {
          GASPIPE_PRAGMA(HLS UNROLL);
          GASPIPE_TASK_I(k, testing::feed(inputs[k], c[k], static_cast<std::uint32_t>(k)));
        }
        GASPIPE_TASK(applyProcess<Hooks>(num, arg, a, b, c, out, counts));
      } else {
        GASPIPE_TASK(applyProcess<Hooks>(num, arg, a, b, out, counts));
      }
      GASPIPE_TASK(testing::drain(out, properties.size(), words, pause));
      GASPIPE_TASK(testing::drain(counts, ApplyShape<Hooks>::kResultWords, results));
      GASPIPE_RUN;
    }
    Answer answer{as_values(words), std::vector<Sum>(8 * ApplyShape<Hooks>::kSumWords), results.back()};
    std::memcpy(answer.sums.data(), results.data(), answer.sums.size() * sizeof(Sum));
    return answer;
  }
  // Vertex by vertex; sums in the order that apply.h states.
  static Answer expected(const Vertices& all) {
    const int lanes = std::min({64 / sizeof(Property), 64 / sizeof(Value), kAux == 0 ? 16 : 64 / sizeof(Aux)});
    constexpr int kSums = Traits<Hooks>::kExtraSlots;
    const std::size_t turns = std::is_floating_point<Sum>::value ? 8 : 1;
    std::vector<std::vector<std::vector<Sum>>> sums(turns,
                                                    std::vector<std::vector<Sum>>(lanes, std::vector<Sum>(kSums)));
    Answer answer{};
    for (std::size_t v = 0; v < all.gathered.size(); ++v) {
      answer.activity.lane[v / 16 / 64] |= std::uint64_t(1) << (v / 16 % 64);  // no program here has idle vertices
      Aux aux[kAuxSlots];
      for (int k = 0; k < kAuxSlots; ++k) aux[k] = kAux == 0 ? Aux(0) : all.inputs[k][v];
      typename Traits<Hooks>::Extra extra[kSums] = {};
      answer.properties.push_back(Traits<Hooks>::apply(all.gathered[v], all.properties[v], aux, extra,
                                                       an_argument<typename Traits<Hooks>::Arg>()));
      for (int k = 0; k < kSums; ++k) sums[v / lanes % turns][v % lanes][k] += extra[k];
    }
    while (answer.properties.size() % (64 / sizeof(Property)) != 0) answer.properties.push_back(456);
    answer.sums.resize((kSums + 7) / 8 * 8);
    for (int k = 0; k < kSums; ++k) {
      for (int lane = 0; lane < lanes; ++lane) {
        Sum sum = sums[0][lane][k];
        for (std::size_t turn = 1; turn < turns; ++turn) sum += sums[turn][lane][k];
        answer.sums[k] = lane == 0 ? sum : answer.sums[k] + sum;
      }
    }
    return answer;
  }
  Random random{23};
};
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Programs = ::testing::Types<testing::Sum<u32>, testing::Sum<u64>, testing::Min<u32>, testing::Min<u64>,
                                  Wide<u32, u32, u32>, Wide<u64, u32, u32>, Wide<u32, u64, u32>, Wide<u32, u32, u64>>;
TYPED_TEST_SUITE(Apply, Programs);

TYPED_TEST(Apply, AppliesEveryVertexOnceAndSumsWhatItCounts) {
  for (std::size_t num : {0, 1, 7, 8, 9, 15, 16, 17, 24, 33, 1000}) {
    const auto all = this->random_vertices(num);
    const auto expected = this->expected(all);
    at_all_depths([&] {
      for (std::uint32_t pause : {0u, 3u}) {
        const auto answer = this->run(all, pause);
        EXPECT_EQ(answer.properties, expected.properties) << num;
        EXPECT_EQ(answer.sums, expected.sums) << num;
        for (int i = 0; i < 8; ++i) EXPECT_EQ(answer.activity.lane[i], expected.activity.lane[i]) << num;
      }
    });
  }
}

TYPED_TEST(Apply, TakesACyclePerWordOfTheWidestStream) {
  this->run(this->random_vertices(16000), 0);
  EXPECT_GE(emulator::Engine::last_cycles(), 16000u / ApplyShape<TypeParam>::kLanes);
  EXPECT_LE(emulator::Engine::last_cycles(), 3 * 16000u / ApplyShape<TypeParam>::kLanes);
}

// 32-bit extras are summed in 64 bits.
struct Full : testing::Sum<std::uint32_t> {
  static Property applyFunc(Property tProp, Property, Property, unsigned& extra, unsigned) {
    extra += 0xffffffffu;
    return tProp;
  }
};
using ApplySums = Apply<Full>;
TEST_F(ApplySums, DoNotWrapAround) { EXPECT_EQ(run(random_vertices(1000), 0).sums[0], 1000 * 0xffffffffull); }

}  // namespace
}  // namespace gaspipe
