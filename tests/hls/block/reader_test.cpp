// SPDX-License-Identifier: Apache-2.0
// The blocks that read rows and sets, and the one that writes sets, against loops over plain arrays.
#include "hls/block/seed_names.h"
#include "tests/hls/block/chain.h"

namespace gaspipe {
namespace block {
namespace {

using namespace block::testing;

struct Asked {
  std::vector<MemReq> row_requests, requests;
  std::vector<SetMeta> sets;
};

template <class T, int throttle>
Asked for_all(const Rows& rows) {
  Asked asked;
  const std::vector<RowLine> memory = rows.lines();
  const VertexId n = rows.size();
  std::vector<MemReq> expected;
  const std::size_t num_lines = n == 0 ? 0 : n / 8 + 1;
  for (std::size_t first = 0; first < num_lines; first += 8) {
    expected.push_back({first, std::min<std::size_t>(8, num_lines - first), false});
  }
  const std::vector<RowLine> lines = answers(expected, memory);
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(MemReq, row_requests, 2);
    GASPIPE_STREAM(RowLine, row_lines, 2);
    GASPIPE_STREAM(MemReq, requests, 2);
    GASPIPE_STREAM(SetMeta, sets, 2);
    GASPIPE_TASK(for_all_prop_rdr_req(n, row_requests));
    GASPIPE_TASK(drain_to_end(row_requests, asked.row_requests, 1));
    GASPIPE_TASK(feed(lines, row_lines, 2));
    GASPIPE_TASK(for_all_prop_rdr<T, throttle>(n, row_lines, requests, sets));
    GASPIPE_TASK(drain_to_end(requests, asked.requests, 3));
    GASPIPE_TASK(drain_to_end(sets, asked.sets, 1));
    GASPIPE_RUN;
  }
  EXPECT_EQ(asked.row_requests, expected);
  return asked;
}

// GOP-1: a request and a set for every vertex that has one, in order; none for the others, and none without vertices.
TEST(ForAllPropRdr, AsksForTheSetOfEveryVertex) {
  Random random(1);
  std::vector<Degrees> graphs{{}, {0}, {5}, {0, 0, 0}, edge_degrees()};
  for (VertexId n : {7u, 8u, 9u, 63u, 64u, 65u, 500u}) graphs.push_back(random_degrees(n, 40, random));
  for (const Degrees& degrees : graphs) {
    const Rows rows(degrees);
    at_all_depths([&] {
      const Asked narrow = for_all<std::uint32_t, 1>(rows), wide = for_all<double, 1>(rows);
      EXPECT_EQ(narrow.sets, rows.sets());
      EXPECT_EQ(narrow.requests, requests_for<std::uint32_t>(rows.sets()));
      EXPECT_EQ(wide.sets, rows.sets());
      EXPECT_EQ(wide.requests, requests_for<double>(rows.sets()));
    });
  }
}

// Cycles between tokens, the fewest.
void spacing(stream<MemReq>& in, emulator::Cycle& least) {
  emulator::Cycle before = 0;
  least = ~emulator::Cycle(0);
  bool is_first = true;
  while (!in.read().end) {
    const emulator::Cycle now = emulator::Engine::running()->clock;
    if (!is_first) least = std::min(least, now - before);
    before = now;
    is_first = false;
  }
}
template <int throttle>
emulator::Cycle throttled(const Rows& rows, std::vector<SetMeta>& found) {
  const std::vector<RowLine> lines = rows.lines();
  emulator::Cycle least = 0;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(RowLine, row_lines, 64);
  GASPIPE_STREAM(MemReq, requests, 64);
  GASPIPE_STREAM(SetMeta, sets, 64);
  GASPIPE_TASK(feed(lines, row_lines));
  GASPIPE_TASK(for_all_prop_rdr<float, throttle>(rows.size(), row_lines, requests, sets));
  GASPIPE_TASK(spacing(requests, least));
  GASPIPE_TASK(drain_to_end(sets, found));
  GASPIPE_RUN;
  return least;
}
// GOP-24: the throttle is a number of the block; it spaces requests and changes nothing else.
TEST(ForAllPropRdr, SpacesRequestsByItsThrottle) {
  const Rows rows(Degrees(100, 3));
  std::vector<SetMeta> once, twice, fourfold;
  EXPECT_EQ(throttled<1>(rows, once), 1u);
  EXPECT_EQ(throttled<2>(rows, twice), 2u);
  EXPECT_EQ(throttled<4>(rows, fourfold), 4u);
  EXPECT_EQ(once, rows.sets());
  EXPECT_EQ(twice, once);
  EXPECT_EQ(fourfold, once);
}

// By vertex_reader and nbr_set_reader, or by the block that is both.
template <class T>
Asked sets_of(const Rows& rows, VertexId root, const std::vector<VertexId>& vertices, bool as_one_block) {
  Asked asked;
  const std::vector<VertexToken> tokens = testing::as_tokens(vertices);
  std::vector<MemReq> expected;
  const auto ask = [&](VertexId v) { expected.push_back({v / 8, v % 8 == 7 ? 2u : 1u, false}); };
  if (root != kNoVertex) ask(root);
  for (VertexId v : vertices) ask(v);
  const std::vector<RowLine> lines = answers(expected, rows.lines());
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(VertexToken, in, 2);
    GASPIPE_STREAM(MemReq, row_requests, 2);
    GASPIPE_STREAM(VertexToken, elements, 2);
    GASPIPE_STREAM(RowLine, row_lines, 2);
    GASPIPE_STREAM(MemReq, requests, 2);
    GASPIPE_STREAM(SetMeta, sets, 2);
    GASPIPE_TASK(feed(tokens, in, 1));
    if (as_one_block) {
      GASPIPE_TASK(nbr_prop_rdr_req(in, row_requests, elements));
      GASPIPE_TASK(nbr_prop_rdr<T>(elements, row_lines, requests, sets));
    } else {
      GASPIPE_TASK(vertex_reader(root, in, row_requests, elements));
      GASPIPE_TASK(nbr_set_reader<T>(elements, row_lines, requests, sets));
    }
    GASPIPE_TASK(drain_to_end(row_requests, asked.row_requests));
    GASPIPE_TASK(feed(lines, row_lines, 1));
    GASPIPE_TASK(drain_to_end(requests, asked.requests, 2));
    GASPIPE_TASK(drain_to_end(sets, asked.sets));
    GASPIPE_RUN;
  }
  EXPECT_EQ(asked.row_requests, expected);
  return asked;
}
std::vector<SetMeta> sets_among(const Rows& rows, const std::vector<VertexId>& vertices) {
  std::vector<SetMeta> sets;
  for (VertexId v : vertices) {
    if (rows.set(v).first < rows.set(v).last) sets.push_back(rows.set(v));
  }
  return sets;
}

// GOP-5: vertices in any order, also the last of a line of rows, whose set takes two lines, and those without edges.
TEST(NbrPropRdr, ReadsTheSetsOfVerticesThatCome) {
  Random random(8);
  const Rows rows(random_degrees(200, 50, random));
  std::vector<VertexId> vertices{7, 15, 0, 199, 7};
  for (int i = 0; i < 300; ++i) vertices.push_back(static_cast<VertexId>(random() % 200));
  at_all_depths([&] {
    const Asked asked = sets_of<std::uint64_t>(rows, kNoVertex, vertices, true);
    EXPECT_EQ(asked.sets, sets_among(rows, vertices));
    EXPECT_EQ(asked.requests, requests_for<std::uint64_t>(asked.sets));
    EXPECT_TRUE(sets_of<float>(rows, kNoVertex, {}, true).sets.empty());
  });
}
// GOP-10, GOP-11: a root before what the stream brings, and the range of every vertex's neighbors.
TEST(VertexReader, StartsWithARoot) {
  Random random(9);
  Degrees degrees = random_degrees(100, 20, random);
  degrees[31] = 17;  // the last of a line
  const Rows rows(degrees);
  at_all_depths([&] {
    const Asked root_alone = sets_of<VertexId>(rows, 31, {}, false);
    EXPECT_EQ(root_alone.sets, sets_among(rows, {31}));
    EXPECT_EQ(root_alone.requests, requests_for<VertexId>({rows.set(31)}));
    const std::vector<VertexId> vertices{0, 99, 31, 1, 7, 8};
    std::vector<VertexId> all = vertices;
    all.insert(all.begin(), 12);
    const Asked both = sets_of<VertexId>(rows, 12, vertices, false);
    EXPECT_EQ(both.sets, sets_among(rows, all));
    EXPECT_EQ(both.requests, requests_for<VertexId>(both.sets));
    EXPECT_EQ(sets_of<VertexId>(rows, kNoVertex, vertices, false).sets, sets_among(rows, vertices));
  });
}

template <class P>
std::vector<GroupMask> groups_of(const std::vector<VertexId>& vertices) {
  std::vector<GroupMask> groups;
  for (VertexId v : vertices) {
    const std::uint32_t line = v / Line<P>::kSize, lane = 1u << v % Line<P>::kSize;
    if (groups.empty() || groups.back().line != line) groups.push_back({line, 0, false});
    groups.back().lanes |= lane;
  }
  return groups;
}

struct WrittenSet {
  std::vector<MemReq> requests;
  std::vector<GroupLine> lines;
  FinalWord num_groups, num_vertices;
};
void drain_words(stream<FinalWord>& in, FinalWord& word) { in.read(word); }
WrittenSet written(const std::vector<GroupMask>& groups) {
  WrittenSet set;
  const std::vector<GroupMask> tokens = with_end(groups);
  const std::size_t num_lines = (groups.size() + 7) / 8;
  GASPIPE_DATAFLOW;
  GASPIPE_STREAM(GroupMask, in, 2);
  GASPIPE_STREAM(MemReq, requests, 2);
  GASPIPE_STREAM(GroupLine, lines, 2);
  GASPIPE_STREAM(FinalWord, num_groups, 2);
  GASPIPE_STREAM(FinalWord, num_vertices, 2);
  GASPIPE_TASK(feed(tokens, in, 1));
  GASPIPE_TASK(set_writer(in, requests, lines, num_groups, num_vertices));
  GASPIPE_TASK(drain_to_end(requests, set.requests));
  GASPIPE_TASK(drain(lines, num_lines, set.lines));
  GASPIPE_TASK(drain_words(num_groups, set.num_groups));
  GASPIPE_TASK(drain_words(num_vertices, set.num_vertices));
  GASPIPE_RUN;
  return set;
}
template <class P, int throttle>
std::vector<VertexId> read_back(std::uint32_t num_groups, const std::vector<GroupLine>& memory) {
  std::vector<MemReq> requests;
  std::vector<VertexToken> tokens;
  {
    GASPIPE_DATAFLOW;
    GASPIPE_STREAM(MemReq, set_requests, 2);
    GASPIPE_STREAM(GroupLine, lines, 2);
    GASPIPE_STREAM(VertexToken, out, 2);
    GASPIPE_TASK(set_reader_req(num_groups, set_requests));
    GASPIPE_TASK(drain_to_end(set_requests, requests));
    GASPIPE_TASK(feed(memory, lines, 1));
    GASPIPE_TASK(set_reader<P, throttle>(num_groups, lines, out));
    GASPIPE_TASK(drain_to_end(out, tokens, 1));
    GASPIPE_RUN;
  }
  EXPECT_EQ(answers(requests, memory).size(), memory.size());
  std::vector<VertexId> vertices;
  for (const VertexToken& token : tokens) vertices.push_back(token.vertex);
  return vertices;
}
template <class P>
void check_sets(Random& random) {
  std::vector<std::vector<VertexId>> sets{{}, {0}, {15}, {16}, {0, 1, 2, 3}, {0xfffffffe}};
  for (VertexId spread : {1u, 3u, 17u, 1000u}) {
    for (std::size_t size : {7u, 8u, 9u, 64u, 65u, 300u}) {
      std::set<VertexId> set;
      while (set.size() < size) set.insert(static_cast<VertexId>(random() % (size * spread + 1)));
      sets.emplace_back(set.begin(), set.end());
    }
  }
  for (const auto& vertices : sets) {
    const auto groups = groups_of<P>(vertices);
    const WrittenSet set = written(groups);
    EXPECT_EQ(set.num_groups, groups.size());
    EXPECT_EQ(set.num_vertices, vertices.size());
    ASSERT_EQ(set.requests.size(), (groups.size() + 7) / 8);  // nothing of an empty set
    for (std::size_t i = 0; i < set.requests.size(); ++i) EXPECT_TRUE((set.requests[i] == MemReq{i, 1, false}));
    for (std::size_t i = groups.size(); i < 8 * set.lines.size(); ++i) EXPECT_EQ(set.lines[i / 8].lane[i % 8], 0u);
    EXPECT_EQ((read_back<P, 1>(static_cast<std::uint32_t>(groups.size()), set.lines)), vertices);
    EXPECT_EQ((read_back<P, 4>(static_cast<std::uint32_t>(groups.size()), set.lines)), vertices);
    // Groups of no vertices are nothing, wherever they are.
    EXPECT_EQ((read_back<P, 1>(static_cast<std::uint32_t>(8 * set.lines.size()), set.lines)), vertices);
  }
}
// GOP-6, GOP-7: what is written as a set is read as the same, dense and sparse, in lines full and not.
TEST(SetReader, ReadsWhatSetWriterWrote) {
  Random random(4);
  at_all_depths([&] {
    check_sets<std::uint32_t>(random);
    check_sets<double>(random);
  });
}

}  // namespace
}  // namespace block
}  // namespace gaspipe
