// SPDX-License-Identifier: Apache-2.0
#include "hls/module/property_process.h"

#include "tests/hls/module/feed.h"

namespace gaspipe {
namespace {

using testing::as_tokens;
using testing::as_words;
using testing::at_all_depths;
using testing::Min;
using testing::Random;
using testing::Sum;

template <class H, int lanes>
struct Case {
  using Hooks = H;
  static constexpr int kLanes = lanes;
};

// Edges in the codec's layout, with what their sources hold.
template <class Hooks>
struct Edges {
  using Property = typename Hooks::Property;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  std::vector<Property> properties;
  std::vector<VertexId> destinations;
  std::vector<Weight> weights;

  Edges(std::size_t num, Random& random) {
    for (std::size_t i = 0; i < (num + 15) / 16 * 16; ++i) {
      // A third of the sources is inactive.
      properties.push_back(random() % 3 == 0 ? Traits<Hooks>::identity() : static_cast<Property>(random() >> 40));
      destinations.push_back(i < num ? static_cast<VertexId>(random() % 5000) : PlainEdgeCodec::kPadding);
      weights.push_back(static_cast<Weight>(random() >> 40));
    }
  }
  template <int lanes>
  std::vector<SourceToken<Property, lanes>> sources() const {
    std::vector<SourceToken<Property, lanes>> sets(properties.size() / lanes + 1);
    for (std::size_t i = 0; i < properties.size(); ++i) sets[i / lanes].property[i % lanes] = properties[i];
    for (auto& set : sets) set.end = false;
    sets.back().end = true;
    return sets;
  }
};

template <class Case>
class PropertyProcess : public ::testing::Test {
 protected:
  using Hooks = typename Case::Hooks;
  using Property = typename Hooks::Property;
  using Weight = typename Traits<Hooks>::EdgeProperty;
  using Value = typename Traits<Hooks>::Update;
  static constexpr int kLanes = Case::kLanes;
  using Set = UpdateSet<Value, kLanes>;
  using Source = SourceToken<Property, kLanes>;

  // What goes on of each set, against scatterFunc on each edge by itself.
  static void expect(const std::vector<Set>& sets, const Edges<Hooks>& edges, bool weighted, bool filters) {
    ASSERT_EQ(sets.size() * kLanes, edges.destinations.size());
    for (std::size_t i = 0; i < edges.destinations.size(); ++i) {
      const Value value = Hooks::scatterFunc(edges.properties[i], weighted ? edges.weights[i] : Weight(1));
      const bool valid = edges.destinations[i] != kNoVertex && (!filters || Traits<Hooks>::is_active(value));
      const Set& set = sets[i / kLanes];
      ASSERT_EQ(set.valid >> (i % kLanes) & 1, valid) << "edge " << i;
      ASSERT_EQ(set.valid >> (kLanes - 1) >> 1, 0u);
      if (!valid) continue;
      ASSERT_EQ(set.update[i % kLanes].destination, edges.destinations[i]);
      ASSERT_EQ(set.update[i % kLanes].value, value) << "edge " << i;
    }
  }
  template <bool filter>
  static std::vector<Set> run(const Edges<Hooks>& edges, bool weighted, std::uint32_t pause) {
    const auto sources = edges.template sources<kLanes>();
    const auto destinations = as_tokens(as_words(edges.destinations, VertexId(0)));
    const auto weights = as_tokens(as_words(edges.weights, Weight(0)));
    std::vector<Set> sets;
    {
      GASPIPE_DATAFLOW;
      GASPIPE_STREAM(Source, properties, 4);
      GASPIPE_STREAM(WordToken<VertexId>, ids, 8);
      GASPIPE_STREAM(WordToken<Weight>, words, 8);
      GASPIPE_STREAM(Set, out, 2);
      GASPIPE_TASK(testing::feed(sources, properties, pause));
      GASPIPE_TASK(testing::feed(destinations, ids, pause));
      if (weighted) {
        GASPIPE_TASK(testing::feed(weights, words, pause));
        GASPIPE_TASK(propProcess<Hooks, kLanes, filter>(properties, ids, words, out));
      } else {
        GASPIPE_TASK(propProcess<Hooks, kLanes, filter>(properties, ids, out));
      }
      GASPIPE_TASK(testing::drain_to_end(out, sets, pause));
      GASPIPE_RUN;
    }
    return sets;
  }
};
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Cases =
    ::testing::Types<Case<Sum<u32>, 8>, Case<Sum<u64>, 16>, Case<Min<u32>, 8>, Case<Min<u32>, 16>, Case<Min<u64>, 8>,
                     Case<Min<u64>, 16>, Case<Min<u32, u64>, 16>, Case<Min<u64, u32>, 8>, Case<Sum<float>, 16>>;
TYPED_TEST_SUITE(PropertyProcess, Cases);

TYPED_TEST(PropertyProcess, ScattersEveryEdgeAndMarksPaddingAndInactiveOnes) {
  Random random(12);
  for (std::size_t num : {0, 1, 7, 16, 17, 1000}) {
    const Edges<typename TypeParam::Hooks> edges(num, random);
    at_all_depths([&] {
      for (bool weighted : {false, true}) {
        for (std::uint32_t pause : {0u, 2u}) {
          this->expect(this->template run<true>(edges, weighted, pause), edges, weighted, true);
          this->expect(this->template run<false>(edges, weighted, pause), edges, weighted, false);
        }
      }
    });
  }
}

TYPED_TEST(PropertyProcess, LeavesNothingBehindAlone) {
  Random random(13);
  constexpr int lanes = TypeParam::kLanes;
  using Hooks = typename TypeParam::Hooks;
  const Edges<Hooks> edges(100, random);
  stream<SourceToken<typename Hooks::Property, lanes>> properties;
  stream<WordToken<VertexId>> ids;
  stream<WordToken<typename Traits<Hooks>::EdgeProperty>> weights;
  testing::feed(edges.template sources<lanes>(), properties);
  testing::feed(as_tokens(as_words(edges.destinations, VertexId(0))), ids);
  testing::feed(as_tokens(as_words(edges.weights, typename Traits<Hooks>::EdgeProperty(0))), weights);
  stream<UpdateSet<typename Traits<Hooks>::Update, lanes>> out;
  propProcess<Hooks, lanes>(properties, ids, weights, out);
  EXPECT_EQ(properties.size() + ids.size() + weights.size(), 0u);
  std::vector<UpdateSet<typename Traits<Hooks>::Update, lanes>> sets;
  testing::drain_to_end(out, sets);
  EXPECT_EQ(out.size(), 0u);
  this->expect(sets, edges, true, true);
}

TYPED_TEST(PropertyProcess, TakesACyclePerSet) {
  Random random(14);
  const Edges<typename TypeParam::Hooks> edges(16000, random);
  this->template run<true>(edges, false, 0);
  EXPECT_LE(emulator::Engine::last_cycles(), 16000 / TypeParam::kLanes + 10);
}

}  // namespace
}  // namespace gaspipe
