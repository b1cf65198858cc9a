// SPDX-License-Identifier: Apache-2.0
// The blocks that reduce and filter, against loops over plain arrays.
#include "hls/block/seed_names.h"
#include "tests/hls/block/chain.h"

namespace gaspipe {
namespace block {
namespace {

using namespace block::testing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class T>
std::vector<T> random_values(std::size_t num, T most, Random& random) {
  std::vector<T> values(num);
  for (T& value : values) value = static_cast<T>(random() % static_cast<u64>(most));
  return values;
}

// What a set's reduction may be. finish() has the form of PageRank's, with two scalars.
template <class P, class V>
struct Op {
  using Value = V;
  static constexpr int kCycles = 1;
  static Value map(P element, const Args&) { return static_cast<Value>(element); }
  static Value map(P element, P weight, const Args&) { return static_cast<Value>(element * weight); }
  static Value finish(Value value, const Args& args) { return static_cast<Value>(args.word[0] + args.word[1] * value); }
};
template <class P>
struct Sum : Op<P, P> {
  static P identity() { return 0; }
  static P combine(P a, P b) { return a + b; }
};
template <class P>
struct Product : Op<P, P> {
  static P identity() { return 1; }
  static P combine(P a, P b) { return a * b; }
};
template <class P>
struct Least : Op<P, P> {
  static P identity() { return static_cast<P>(1000000); }
  static P combine(P a, P b) { return a < b ? a : b; }
};
template <class P>
struct Greatest : Op<P, P> {
  static P identity() { return 0; }
  static P combine(P a, P b) { return a < b ? b : a; }
};

// The block's answer and a loop's are the same, vertex by vertex.
template <class Op, class P>
void check_reduction(const Rows& rows, const std::vector<P>& values, const std::vector<P>* weights = nullptr) {
  const std::vector<SetMeta> sets = with_end(rows.sets());
  const auto lines = answers(requests_for<P>(rows.sets()), as_words<P>(values, P(77)));
  const auto weight_lines =
      weights == nullptr ? lines : answers(requests_for<P>(rows.sets()), as_words<P>(*weights, P(78)));
  std::vector<VertexProperty<P>> found;
  {
    using Result = VertexProperty<P>;
    using PropertyLine = Line<P>;
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(SetMeta, in, 2);
    GASPIPE_STREAM(PropertyLine, properties, 2);
    GASPIPE_STREAM(PropertyLine, edge_weights, 2);
    GASPIPE_STREAM(Result, out, 2);
    GASPIPE_TASK(feed(sets, in, 1));
    GASPIPE_TASK(feed(lines, properties, 2));
    if (weights != nullptr) {
      GASPIPE_TASK(feed(weight_lines, edge_weights, 1));
      GASPIPE_TASK(nbr_prop_red<P, P, Op>(5, 3, in, properties, edge_weights, out));
    } else {
      GASPIPE_TASK(nbr_prop_red<P, Op>(5, 3, in, properties, out));
    }
    GASPIPE_TASK(drain_to_end(out, found, 1));
    GASPIPE_RUN;
  }
  ASSERT_EQ(found.size(), rows.sets().size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const SetMeta set = rows.sets()[i];
    P expected = Op::identity();
    for (EdgeCount e = set.first; e < set.last; ++e) {
      expected = Op::combine(expected, weights == nullptr ? values[e] : static_cast<P>(values[e] * (*weights)[e]));
    }
    EXPECT_EQ(found[i].vertex, set.owner);
    EXPECT_EQ(found[i].value, static_cast<P>(5 + 3 * expected)) << "set of " << set.last - set.first;
  }
}

// GOP-2: sums, products, minima and maxima of sets of any size, far beyond what four partial results hold.
TEST(NbrPropRed, ReducesSetsOfAnySize) {
  Random random(1);
  for (const Degrees& degrees : {Degrees{}, Degrees{0, 0}, edge_degrees(), random_degrees(100, 70, random)}) {
    const Rows rows(degrees);
    const auto narrow = random_values<u32>(rows.num_edges(), 100, random);
    const auto wide = random_values<u64>(rows.num_edges(), 100, random);
    std::vector<double> reals(wide.begin(), wide.end());  // sums of these are exact in any order
    at_all_depths([&] {
      check_reduction<Sum<u32>>(rows, narrow);
      check_reduction<Product<u64>>(rows, wide);
      check_reduction<Least<u32>>(rows, narrow);
      check_reduction<Greatest<u64>>(rows, wide);
      check_reduction<Sum<double>>(rows, reals, &reals);
      check_reduction<Sum<u32>>(rows, narrow, &narrow);
    });
  }
}

// Keeps what is greater than the level, as a search does: with its distance from it.
template <class P>
struct Above {
  using Value = P;
  static bool keep(P element, const Args& args, Value& value) {
    value = element - static_cast<P>(args.word[0]);
    return element > static_cast<P>(args.word[0]);
  }
  static bool keep(P owner, P element, P weight, const Args&, Value& value) {
    value = owner + weight;
    return owner + weight < element;
  }
};
template <class P>
struct FoundHits {
  std::vector<Hit<P>> hits;
  std::vector<MemReq> requests;
};

template <class P>
FoundHits<P> filtered(const Rows& rows, const std::vector<VertexId>& targets, const std::vector<P>& values,
                      const std::vector<P>* weights, const std::vector<P>* owners) {
  FoundHits<P> found;
  const std::vector<SetMeta> sets = with_end(rows.sets());
  const auto target_lines = answers(requests_for<VertexId>(rows.sets()), as_words<VertexId>(targets, kNoVertex));
  const auto lines = answers(requests_for<P>(rows.sets()), as_words<P>(values, P(99)));
  std::vector<Line<P>> weight_lines, owner_lines;
  if (weights != nullptr) {
    weight_lines = answers(requests_for<P>(rows.sets()), as_words<P>(*weights, P(0)));
    std::vector<MemReq> of_owners;
    for (const SetMeta& set : rows.sets()) of_owners.push_back({set.owner / Line<P>::kSize, 1, false});
    owner_lines = answers(of_owners, as_words<P>(*owners, P(0)));
  }
  using PropertyLine = Line<P>;
  using IdLine = Line<VertexId>;
  using Found = Hit<P>;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(SetMeta, in, 2);
  GASPIPE_STREAM(MemReq, requests, 2);
  GASPIPE_STREAM(SetMeta, asked, 2);
  GASPIPE_STREAM(IdLine, neighbors, 2);
  GASPIPE_STREAM(PropertyLine, properties, 2);
  GASPIPE_STREAM(PropertyLine, edge_weights, 2);
  GASPIPE_STREAM(PropertyLine, of_owners, 2);
  GASPIPE_STREAM(Found, out, 2);
  GASPIPE_TASK(feed(sets, in, 1));
  GASPIPE_TASK(nbr_prop_filter_req<P>(in, requests, asked));
  GASPIPE_TASK(drain_to_end(requests, found.requests));
  GASPIPE_TASK(feed(target_lines, neighbors, 1));
  GASPIPE_TASK(feed(lines, properties, 2));
  if (weights != nullptr) {
    GASPIPE_TASK(feed(weight_lines, edge_weights));
    GASPIPE_TASK(feed(owner_lines, of_owners));
    GASPIPE_TASK(nbr_prop_filter<P, P, Above<P>>(40, 0, asked, of_owners, neighbors, properties, edge_weights, out));
  } else {
    GASPIPE_TASK(nbr_prop_filter<P, Above<P>>(40, 0, asked, neighbors, properties, out));
  }
  GASPIPE_TASK(drain_to_end(out, found.hits, 1));
  GASPIPE_RUN;
  return found;
}
template <class P>
void check_filter(const Rows& rows, Random& random) {
  const auto targets = random_values<VertexId>(rows.num_edges(), 1000000, random);
  const auto values = random_values<P>(rows.num_edges(), 50, random);
  const auto weights = random_values<P>(rows.num_edges(), 20, random);
  const auto owners = random_values<P>(rows.size() + 1, 20, random);
  for (bool weighted : {false, true}) {
    const auto found = filtered<P>(rows, targets, values, weighted ? &weights : nullptr, &owners);
    EXPECT_EQ(found.requests, requests_for<P>(rows.sets()));  // the block asks for itself
    std::size_t at = 0;
    for (const SetMeta& set : rows.sets()) {
      for (EdgeCount e = set.first; e < set.last; ++e) {
        const P value = weighted ? owners[set.owner] + weights[e] : values[e] - 40;
        if (weighted ? value >= values[e] : values[e] <= 40) continue;
        ASSERT_LT(at, found.hits.size());
        EXPECT_EQ(found.hits[at].owner, set.owner);
        EXPECT_EQ(found.hits[at].neighbor, targets[e]);
        EXPECT_EQ(found.hits[at].value, value);
        ++at;
      }
    }
    EXPECT_EQ(at, found.hits.size());
  }
}
// GOP-8: what a predicate on the property keeps, with owner and neighbor; lanes of 4 and 8 bytes beside ids of 4.
TEST(NbrPropFilter, KeepsWhatThePredicateDoes) {
  Random random(2);
  for (const Degrees& degrees : {Degrees{}, Degrees{3}, edge_degrees(), random_degrees(80, 50, random)}) {
    const Rows rows(degrees);
    at_all_depths([&] {
      check_filter<u32>(rows, random);
      check_filter<std::int64_t>(rows, random);
    });
  }
}

template <bool sums>
struct OddOnes {
  static constexpr bool kSums = sums;
  static bool keep(u32 element, const Args&) { return element % 2 == 1; }
  static u64 value(u32 element, const Args& args) { return u64(element / 2) * args.word[0]; }
};
struct NoneOfThem : OddOnes<false> {
  static bool keep(u32, const Args&) { return false; }
};
template <class Op>
std::vector<FinalWord> globally_reduced(const Rows& rows, const std::vector<u32>& values) {
  const std::vector<SetMeta> sets = with_end(rows.sets());
  const auto lines = answers(requests_for<u32>(rows.sets()), as_words<u32>(values, 0xffffffff));
  std::vector<MemReq> requests;
  std::vector<FinalWord> words[4];
  {
    using PropertyLine = Line<u32>;
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(SetMeta, in, 2);
    GASPIPE_STREAM(MemReq, asked, 2);
    GASPIPE_STREAM(SetMeta, asked_sets, 2);
    GASPIPE_STREAM(PropertyLine, properties, 2);
    GASPIPE_STREAMS(FinalWord, results, 4, 2);
    GASPIPE_TASK(feed(sets, in));
    GASPIPE_TASK(glob_nbr_red_req<u32>(in, asked, asked_sets));
    GASPIPE_TASK(drain_to_end(asked, requests));
    GASPIPE_TASK(feed(lines, properties, 1));
    GASPIPE_TASK(glob_nbr_red<u32, Op>(3, 0, asked_sets, properties, results[0], results[1], results[2], results[3]));
    for (int i = 0; i < 4; ++i) {
      GASPIPE_TASK_I(i, drain(results[i], 1, words[i]));
    }
    GASPIPE_RUN;
  }
  EXPECT_EQ(requests, requests_for<u32>(rows.sets()));
  return {words[0][0], words[1][0], words[2][0], words[3][0]};
}
// GOP-9: the greatest with its edge and owner, the first of equal ones; a sum; nothing where nothing is kept.
TEST(GlobNbrRed, FindsTheFirstOfTheGreatestOrTheSum) {
  Random random(3);
  for (const Degrees& degrees : {Degrees{}, Degrees{0, 4}, edge_degrees(), random_degrees(60, 30, random)}) {
    const Rows rows(degrees);
    for (u32 most : {2u, 20u, 1000000u}) {
      const auto values = random_values<u32>(rows.num_edges(), most, random);
      u64 best = 0, sum = 0, num = 0;
      EdgeCount best_edge = 0;
      VertexId owner = kNoVertex;
      for (const SetMeta& set : rows.sets()) {
        for (EdgeCount e = set.first; e < set.last; ++e) {
          if (values[e] % 2 == 0) continue;
          const u64 value = u64(values[e] / 2) * 3;
          if (num == 0 || value > best) {
            best = value;
            best_edge = e;
            owner = set.owner;
          }
          sum += value;
          ++num;
        }
      }
      at_all_depths([&] {
        EXPECT_EQ(globally_reduced<OddOnes<false>>(rows, values),
                  (std::vector<FinalWord>{best, num, best_edge, owner}));
        const auto sums = globally_reduced<OddOnes<true>>(rows, values);
        EXPECT_EQ(sums[0], sum);
        EXPECT_EQ(sums[1], num);
        EXPECT_EQ(globally_reduced<NoneOfThem>(rows, values), (std::vector<FinalWord>{0, 0, 0, kNoVertex}));
      });
    }
  }
}

template <class P>
struct BelowLimit {
  static bool is_member(P property, const Args& args) { return property < static_cast<P>(args.word[0]); }
  static u64 value(P property, const Args&) { return static_cast<u64>(property) * 1000000007; }
};
template <class P>
void check_all_nodes(VertexId n, u32 limit, Random& random) {
  const auto values = random_values<P>(n, 100, random);
  const auto memory = as_words<P>(values, P(0));  // a member, were it a vertex
  std::vector<MemReq> requests;
  std::vector<VertexToken> members;
  std::vector<FinalWord> sums[2];
  {
    using PropertyLine = Line<P>;
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(MemReq, asked, 2);
    GASPIPE_STREAM(PropertyLine, properties, 2);
    GASPIPE_STREAM(VertexToken, out, 2);
    GASPIPE_STREAMS(FinalWord, results, 2, 2);
    GASPIPE_TASK(all_node_prop_red_req<P>(n, asked));
    GASPIPE_TASK(drain_to_end(asked, requests));
    GASPIPE_TASK(feed(memory, properties, 1));
    GASPIPE_TASK(all_node_prop_red<P, BelowLimit<P>>(n, limit, 0, properties, out, results[0], results[1]));
    GASPIPE_TASK(drain_to_end(out, members, 1));
    for (int i = 0; i < 2; ++i) {
      GASPIPE_TASK_I(i, drain(results[i], 1, sums[i]));
    }
    GASPIPE_RUN;
  }
  EXPECT_EQ(answers(requests, memory).size(), memory.size());
  std::vector<VertexId> expected, found;
  u64 in = 0, out = 0;
  for (VertexId v = 0; v < n; ++v) {
    const bool is_member = values[v] < static_cast<P>(limit);
    if (is_member) expected.push_back(v);
    (is_member ? in : out) += static_cast<u64>(values[v]) * 1000000007;
  }
  for (const VertexToken& token : members) found.push_back(token.vertex);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(sums[0][0], in);
  EXPECT_EQ(sums[1][0], out);
}
// GOP-4: the members, and the sums over them and over the others, of numbers of vertices that fill lines or do not.
TEST(AllNodePropRed, SendsMembersAndSumsBothParts) {
  Random random(4);
  at_all_depths([&] {
    for (VertexId n : {0u, 1u, 8u, 15u, 16u, 17u, 500u}) {
      for (u32 limit : {0u, 10u, 60u, 1000u}) {
        check_all_nodes<u32>(n, limit, random);
        check_all_nodes<double>(n, limit, random);
      }
    }
  });
}

}  // namespace
}  // namespace block
}  // namespace gaspipe
