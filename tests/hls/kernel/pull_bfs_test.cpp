// SPDX-License-Identifier: Apache-2.0
// The array of PEs that pulls where that takes less, against a queue.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "cpp/src/pe_array/kernel.h"
#include "hls/emulator/engine.h"
#include "hls/local_store/pull.h"
#include "tests/hls/kernel/searches.h"

namespace gaspipe {
namespace {

using pe_array::PullRows;
using testing::expect_tree;
using testing::Found;
using testing::Named;
using testing::values;

Found search(const PullRows& rows, VertexId root, const char* execution = "exact", const char* board = "u250") {
  RunOptions options;
  options.device = std::string("emulator:") + board;
  options.execution = execution;
  options.workers = rows.lists().num_pes();
  return pe_array::run(testing::borrowed(rows), root, options);
}
PullRows rows_of(const Csr& csr, int num_pes) {
  Workers workers(1);
  return PullRows(csr, num_pes, workers);
}
// Hubs, so that levels are worth pulling.
Csr hubs(VertexId num_vertices, std::uint64_t seed) {
  testing::Edges edges;
  for (const auto& [u, v] : testing::random_edges(num_vertices, 30 * num_vertices, seed)) {
    const auto squared = [&](VertexId w) { return static_cast<VertexId>(std::uint64_t(w) * w / num_vertices); };
    edges.insert(edges.end(), {{squared(u), squared(v)}, {squared(v), squared(u)}});
  }
  return testing::csr_of(num_vertices, edges);
}

// The last vertex with edges: few of them.
VertexId far_root(const Csr& csr) {
  VertexId v = csr.num_rows - 1;
  while (csr.degree(v) == 0) --v;
  return v;
}

TEST(PullBfs, FindsTheLevelsOfAQueueWithTwoFourAndEightPes) {
  std::vector<Named> graphs = testing::graphs();
  graphs.push_back({"hubs", hubs(6000, 6)});
  for (const Named& graph : graphs) {
    for (const int num_pes : {2, 4, 8}) {
      const PullRows rows = rows_of(graph.csr, num_pes);
      const VertexId root = std::min<VertexId>(num_pes == 4 ? 5 : 0, graph.csr.num_rows - 1);
      SCOPED_TRACE(std::string(graph.name) + ", PEs: " + std::to_string(num_pes) + ", root " + std::to_string(root));
      const Found exact = search(rows, root);
      EXPECT_EQ(values(exact.depth), testing::plain_levels(graph.csr, root));
      expect_tree(graph.csr, root, exact);
      for (const char* const execution : {"shallow", "fast"}) {
        const Found other = search(rows, root, execution);
        EXPECT_EQ(values(other.depth), values(exact.depth)) << execution;
        EXPECT_EQ(values(other.profile().parent), values(exact.profile().parent)) << execution;
        EXPECT_EQ(other.profile().level_pulled, exact.profile().level_pulled) << execution;
        EXPECT_EQ(other.stats.supersteps.edges(), exact.stats.supersteps.edges()) << execution;
      }
    }
  }
}

TEST(PullBfs, PullsWhereThatTakesLess) {
  const Csr csr = hubs(20'000, 7);
  const Found run = search(rows_of(csr, 4), far_root(csr));
  ASSERT_GE(run.profile().level_pulled.size(), 3u);
  EXPECT_FALSE(run.profile().level_pulled.front());
  EXPECT_NE(std::find(run.profile().level_pulled.begin(), run.profile().level_pulled.end(), true),
            run.profile().level_pulled.end());
  EXPECT_LT(run.stats.supersteps.edges(), run.profile().edges / 4);
  std::uint64_t reached = 0;
  for (VertexId v = 0; v < csr.num_rows; ++v) reached += run.depth[v] >= 0 ? csr.degree(v) : 0;
  EXPECT_EQ(run.profile().edges, reached);
  // A chain has a vertex a level.
  testing::Edges chain;
  for (VertexId v = 0; v + 1 < 2000; ++v) chain.push_back({v, v + 1});
  const Found pushed = search(rows_of(testing::csr_of(2000, chain), 2), 0, "fast");
  EXPECT_EQ(std::count(pushed.profile().level_pulled.begin(), pushed.profile().level_pulled.end(), true), 0);
}

// Every level may be pulled, by a kernel that finds the states as the others leave them: what is worth it does not
// decide what comes out.
TEST(PullBfs, LevelsMayBePulledOrPushedInAnyOrder) {
  const Csr csr = hubs(3000, 8);
  const PullRows rows = rows_of(csr, 4);
  const std::vector<std::int32_t> wanted = testing::plain_levels(csr, 17);
  const auto& lists = rows.lists();
  const std::uint32_t num_state_words = state_words(lists.owners().share());
  for (const unsigned which : {0u, 1u, 2u, 5u, 10u, 15u}) {  // bit: the level is pulled
    for (const bool exact : {false, true}) {
      std::vector<std::vector<pe_array::Line>> queues(4);
      std::vector<pe_array::Ports> ports;
      for (int pe = 0; pe < 4; ++pe) {
        queues[pe].resize(2 * num_state_words + lists.owners().count(pe));
        queues[pe][0].lane[ControlLane::kFirstWord] = 2 * num_state_words;
        ports.push_back({lists.lists(pe).data(), queues[pe].data(), rows.rows(pe).data()});
      }
      const VertexId root = rows.place(17), index = code_index(lists.code(root));
      std::vector<pe_array::Line>& own = queues[lists.owners().of(root)];
      own[0].lane[ControlLane::kNumEntries] = 1;
      own[1 + index / kMarksPerWord].lane[index % kMarksPerWord / kMarksPerRow] = std::uint64_t(1) << index % 64;
      own[2 * num_state_words].lane[0] = lists.code(root);
      std::vector<std::int32_t> depth(csr.num_rows, -1);
      depth[17] = 0;
      for (std::uint32_t level = 0; level < 8; ++level) {
        const bool pulls = (which >> level & 1) != 0;
        if (exact && pulls) run_pull(ports, num_state_words, level % 2, rows.num_groups());
        if (exact && !pulls) run_level(ports, num_state_words, level % 2);
        if (!exact && pulls) run_pull_fast(ports, num_state_words, level % 2, rows.num_groups());
        if (!exact && !pulls) run_level_fast(ports, num_state_words, level % 2);
        for (int pe = 0; pe < 4; ++pe) {
          const pe_array::Line& control = queues[pe][(1 - level % 2) * num_state_words];
          for (std::uint64_t i = 0; i < control.lane[ControlLane::kNumEntries]; ++i) {
            const std::uint64_t word = control.lane[ControlLane::kFirstWord] + i / kEntriesPerWord;
            const std::uint32_t at = code_index(queues[pe][word].lane[2 * (i % kEntriesPerWord)]);
            std::int32_t& found = depth[rows.vertex(lists.owners().first(pe) + at)];
            EXPECT_EQ(found, -1);
            found = static_cast<std::int32_t>(level) + 1;
          }
        }
      }
      EXPECT_EQ(depth, wanted) << which << (exact ? " exact" : " fast");
    }
  }
}

// Delays and orders of tasks and replies change no parent.
TEST(PullBfs, DependsOnNoTiming) {
  const Csr csr = hubs(4000, 9);
  const PullRows rows = rows_of(csr, 4);
  const Found plain = search(rows, far_root(csr));
  emulator::Options& options = emulator::Engine::current_options();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    options.disorder = {seed, 9, 300};
    const Found other = search(rows, far_root(csr), seed % 2 == 0 ? "exact" : "shallow");
    options.disorder = {};
    EXPECT_EQ(values(other.depth), values(plain.depth));
    EXPECT_EQ(values(other.profile().parent), values(plain.profile().parent));
  }
}

// A level whose vertices are found by their first source takes a vertex a cycle of every PE, and the frontier's words.
TEST(PullBfs, LooksAtAVertexACycle) {
  const VertexId num_vertices = 40'000;
  testing::Edges edges;  // a hub's neighbors have all others between them
  for (VertexId v = 1; v <= 40; ++v) edges.push_back({0, v});
  for (VertexId v = 41; v < num_vertices; ++v) {
    for (VertexId i = 1; i <= 40; ++i) edges.push_back({i, v});
  }
  const Csr csr = testing::csr_of(num_vertices, edges);
  const Found run = search(rows_of(csr, 8), 0, "exact", "u280");
  ASSERT_TRUE(run.profile().level_pulled.at(1));
  const std::uint64_t vertices = (num_vertices - 41) / 8;
  EXPECT_GE(run.profile().level_cycles[1], vertices);
  EXPECT_LT(run.profile().level_cycles[1], vertices + vertices / 8 + num_vertices / 512 + 1500);
  EXPECT_LT(std::accumulate(run.profile().level_cycles.begin(), run.profile().level_cycles.end(), std::uint64_t(0)),
            csr.num_edges() / 8);
}

// The likeliest source of all is found late, so rows are looked at, one of them longer than a run of words.
TEST(PullBfs, LooksAtRowsWhereTheFirstSourceIsNoHit) {
  const VertexId num_vertices = 5000, hub = 4999, target = 99;
  testing::Edges edges;
  for (VertexId v = 1; v <= 40; ++v) edges.push_back({0, v});
  for (VertexId v = 100; v < num_vertices; ++v) {
    for (VertexId i = 1; i <= 40; ++i) edges.push_back({i, v});
  }
  for (VertexId v = 1; v < hub; ++v) edges.push_back({hub, v});
  for (VertexId v = 2000; v < 4000; ++v) edges.push_back({v, target});
  edges.push_back({40, target});
  const Csr csr = testing::csr_of(num_vertices, edges);
  for (const int num_pes : {2, 8}) {
    const PullRows rows = rows_of(csr, num_pes);
    EXPECT_GT(rows.head(rows.place(target)).num_others, kSourcesPerRun);
    const Found exact = search(rows, 0), fast = search(rows, 0, "fast");
    ASSERT_TRUE(exact.profile().level_pulled.at(1));
    EXPECT_EQ(values(exact.depth), testing::plain_levels(csr, 0));
    EXPECT_EQ(exact.profile().parent[target], 40);
    expect_tree(csr, 0, exact);
    EXPECT_EQ(values(fast.profile().parent), values(exact.profile().parent));
  }
}

TEST(PullBfs, RefusesWhatABoardDoesNotHold) {
  const Csr large = testing::csr_of((1u << 22) + 1, {{0, 1}});
  try {
    search(rows_of(large, 8), 0, "fast", "u50");
    FAIL();
  } catch (const CapacityError& error) {
    const std::string says = error.what();
    EXPECT_NE(says.find("would own 524800 vertices, and the URAM of u50 has room for bitmaps of 524288"),
              std::string::npos)
        << says;
  }
}

}  // namespace
}  // namespace gaspipe
