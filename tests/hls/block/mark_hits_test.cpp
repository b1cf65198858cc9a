// SPDX-License-Identifier: Apache-2.0
#include "hls/block/mark_hits.h"

#include "tests/hls/block/chain.h"

namespace gaspipe {
namespace block {
namespace testing {
namespace {

using u32 = std::uint32_t;
constexpr VertexId kCapacity = 1024;

template <class P>
struct AtMost {
  using Value = P;
  static bool keep(P element, const Args& args, P& value) {
    value = static_cast<P>(args.word[0] + 1);
    return element <= static_cast<P>(args.word[0]);
  }
};

template <class P>
struct Found {
  std::vector<HitGroup<P>> groups;
  std::vector<LineUpdate<P>> lines;
};

struct Edges {
  Rows rows;
  std::vector<VertexId> targets;
};

// The chain of a search from the sets' lines on; with `groups`, what the filter sends.
template <class P>
Found<P> run(const Edges& edges, const std::vector<P>& values, u32 most, VertexId num_vertices, bool groups) {
  const std::vector<SetMeta> of_rows = edges.rows.sets(), sets = with_end(of_rows);
  const auto target_lines = answers(requests_for<VertexId>(of_rows), as_words<VertexId>(edges.targets, 0));
  const auto lines = answers(requests_for<P>(of_rows), as_words<P>(values, 0));
  using Lines = HitLine<P, Line<P>::kSize>;
  using Coalescer = BestEffortCoalescer<P, Overwrite<P>>;
  Found<P> found;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(SetMeta, in, 2);
  GASPIPE_STREAM(Line<VertexId>, neighbors, 2);
  GASPIPE_STREAM(Line<P>, properties, 2);
  GASPIPE_STREAM(Lines, hit_lines, 2);
  GASPIPE_STREAM(HitGroup<P>, hits, 2);
  GASPIPE_STREAM(HitGroup<P>, watched, 2);
  GASPIPE_STREAM(HitGroup<P>, others, 2);
  GASPIPE_STREAM(FoundRow<P>, marked, 2);
  GASPIPE_STREAM(VertexProperty<P>, updates, 2);
  GASPIPE_STREAM(LineUpdate<P>, other_entries, 2);
  GASPIPE_STREAM(LineUpdate<P>, entries, 2);
  GASPIPE_TASK(feed(sets, in));
  GASPIPE_TASK(feed(target_lines, neighbors));
  GASPIPE_TASK(feed(lines, properties));
  GASPIPE_TASK(nbr_prop_filter_lines<P, AtMost<P>>(most, 0, in, neighbors, properties, hit_lines));
  GASPIPE_TASK(spread_hits<P, Line<P>::kSize>(hit_lines, hits));
  if (groups) {
    GASPIPE_TASK(drain_to_end(hits, found.groups));
  } else {
    GASPIPE_TASK(watch_hits<P>(hits, watched));
    GASPIPE_TASK(mark_hits<P, kCapacity>(num_vertices, watched, others, marked));
    GASPIPE_TASK(hit_updates<P>(others, updates));
    GASPIPE_TASK(elem_update_coalesce<P, Coalescer>(updates, other_entries));
    GASPIPE_TASK(found_lines<P>(other_entries, marked, entries));
    GASPIPE_TASK(drain_to_end(entries, found.lines));
  }
  GASPIPE_RUN;
  return found;
}

// GOP-8: all that the predicate keeps, with owner, neighbor and value; vertices of a group lie in banks of their own.
template <class P>
void check_groups(const Edges& edges, const std::vector<P>& values, u32 most) {
  std::multiset<std::pair<VertexId, VertexId>> expected, hits;
  for (const SetMeta& set : edges.rows.sets()) {
    for (EdgeCount e = set.first; e < set.last; ++e) {
      if (values[e] <= static_cast<P>(most)) expected.insert({set.owner, edges.targets[e]});
    }
  }
  for (const auto& group : run<P>(edges, values, most, 0, true).groups) {
    for (u32 w = 0; w < kHitWays; ++w) {
      if ((group.lanes >> w & 1) == 0) continue;
      EXPECT_EQ(group.neighbor[w] % kHitWays, w);
      EXPECT_EQ(group.value[w], static_cast<P>(most + 1));
      hits.insert({group.owner, group.neighbor[w]});
    }
  }
  EXPECT_EQ(hits, expected);
}

// What is hit is updated; lines whose vertices have bits once, in order.
template <class P>
void check_lines(const Edges& edges, const std::vector<P>& values, u32 most, VertexId num_vertices) {
  std::set<VertexId> expected, updated;
  for (EdgeCount e = 0; e < edges.rows.num_edges(); ++e) {
    if (values[e] <= static_cast<P>(most)) expected.insert(edges.targets[e]);
  }
  std::int64_t last = -1;
  for (const auto& entry : run<P>(edges, values, most, num_vertices, false).lines) {
    for (u32 i = 0; i < Line<P>::kSize; ++i) {
      if ((entry.lanes >> i & 1) == 0) continue;
      updated.insert(entry.line * Line<P>::kSize + i);
      EXPECT_EQ(entry.values.lane[i], static_cast<P>(most + 1));
    }
    EXPECT_NE(entry.lanes, 0u);
    if (entry.line * Line<P>::kSize >= kCapacity) continue;
    EXPECT_GT(entry.line, last);
    last = entry.line;
  }
  EXPECT_EQ(updated, expected);
}

template <class P>
void check(const Rows& rows, VertexId num_vertices, Random& random) {
  Edges edges{rows, std::vector<VertexId>(rows.num_edges())};
  std::vector<P> values(rows.num_edges());
  for (EdgeCount e = 0; e < rows.num_edges(); ++e) {
    edges.targets[e] = static_cast<VertexId>(random() % num_vertices);
    values[e] = static_cast<P>(random() % 10);
  }
  for (u32 most : {0u, 4u, 9u}) {
    check_groups<P>(edges, values, most);
    check_lines<P>(edges, values, most, num_vertices);
  }
}

// More vertices than the bitmap has bits, too.
TEST(MarkHits, UpdatesEveryLineOnce) {
  Random random(3);
  for (const Degrees& degrees : {Degrees{}, Degrees{3}, edge_degrees(), random_degrees(80, 50, random)}) {
    const Rows rows(degrees);
    at_all_depths([&] {
      for (VertexId num_vertices : {1u, 5u, 600u, kCapacity, 2 * kCapacity}) {
        check<u32>(rows, num_vertices, random);
        check<std::int64_t>(rows, num_vertices, random);
      }
    });
  }
}

// A line of 16 hits takes two cycles, if its vertices are spread over the banks; in one bank 16.
TEST(MarkHits, TakesSeveralHitsACycle) {
  constexpr VertexId kSets = 500;
  Edges spread{Rows(Degrees(kSets, 16)), {}}, together = spread;
  for (VertexId e = 0; e < 16 * kSets; ++e) {
    spread.targets.push_back(e % kCapacity);
    together.targets.push_back(kHitWays * e % kCapacity);
  }
  const std::vector<u32> values(16 * kSets, 0);
  run<u32>(spread, values, 0, kCapacity, false);
  const std::uint64_t cycles = emulator::Engine::last_cycles();
  EXPECT_GE(cycles, 2u * kSets);
  EXPECT_LT(cycles, 2u * kSets + 300);
  run<u32>(together, values, 0, kCapacity, false);
  EXPECT_GE(emulator::Engine::last_cycles(), 16u * kSets);
}

}  // namespace
}  // namespace testing
}  // namespace block
}  // namespace gaspipe
